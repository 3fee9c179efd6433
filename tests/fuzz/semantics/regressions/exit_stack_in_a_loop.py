def program(x):
    log = []
    for k in range(3):
        with contextlib.ExitStack() as stack:
            stack.callback(log.append, k)
            if k == 1:
                continue
            log.append(-k)
    stack.close()
    return x * len(log), log


def arguments():
    return (number("float", 2.0),)

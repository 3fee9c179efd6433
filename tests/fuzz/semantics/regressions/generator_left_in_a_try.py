def program(x):
    log = []

    def items():
        try:
            yield x
            yield x * 2
        except Exception:
            log.append(x)
        finally:
            log.append(5.0)

    for v in items():
        if v > 0:
            break

    def caught():
        try:
            yield x
        except BaseException:
            log.append(x)
        log.append(7.0)

    for v in caught():
        break
    return sum(log) + v


def arguments():
    return (number("float", 0.5),)

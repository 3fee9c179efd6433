def program(x):
    if x > 0:
        pair = [x, 3]
    else:
        pair = [2, x]
    return [1, pair], {"a": pair, 1: "b"}, str(pair)


def arguments():
    return (number("float", 0.5),)

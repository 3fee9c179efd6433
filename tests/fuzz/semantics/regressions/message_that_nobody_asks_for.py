def program(x, names, k):
    assert x > 0, names[k]
    try:
        assert x > 5, names[k]
    except IndexError:
        x = x * 2.0
    return x


def arguments():
    return 1.5, ["a"], 3

def program(x, k):
    empty, grown = {}, {}
    grown[k] = x
    listed = {"a": [x, 2.0]} == {"a": [1.5, 2]}
    return grown == {"b": x}, grown != empty, empty == {}, listed, {1: x} == [1]


def arguments():
    return number("float", 1.5), "b"

def program(x, items, n):
    said = []
    for function, value in ((operator.neg, items), (operator.abs, (1.0,)), (abs, [n])):
        try:
            said.append(function(value))
        except TypeError:
            said.append("none")
    operator.iadd(items, [x])
    operator.setitem(items, 0, n)
    flags = operator.not_(x), operator.is_(x, x), operator.contains(items, n)
    read = operator.attrgetter("real", "imag")(x), operator.getitem(items, -1)
    return said, items, flags, read, operator.concat(items, [n]), operator.truth(items)


def arguments():
    return number("float", 1.5), [2.0, 3.0], number("int", 3)

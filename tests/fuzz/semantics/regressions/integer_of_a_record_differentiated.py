def program(w, z):
    for q in w:
        b = Box(q, z)
        if z:
            b.c = z[0]
    return 0.5 + b.c, w * 2.0


def arguments():
    w = laid("C", "float64", (2,), 1)
    z = [number("int8", -2), number("uint8", 0)]
    return w, z

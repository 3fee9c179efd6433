def program(w, x):
    w[()] = 1.5
    if x.real >= x.imag:
        v = x
    else:
        v = w
    return v * (1 + 2j)


def arguments():
    w = laid("C", "float64", (2,), 1)
    x = number("complex128", 1.5 + 1j)
    return w, x

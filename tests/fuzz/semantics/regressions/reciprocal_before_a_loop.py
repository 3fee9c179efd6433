def program(x, a, xs):
    total = last = 0
    for _ in range(2):
        last = pow(a, -1)
        total = a**-1
    for v in xs:
        last = v**-1
    n = 1 if xs else 2.0
    found = 2.0 in range(3), np.float64(4) in range(a), 1j in range(3)
    return total, last, n**-1, n**2, found, x * total


def arguments():
    return number("float", 1.5), 4, [1, 2]

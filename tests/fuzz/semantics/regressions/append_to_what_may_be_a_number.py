def program(x, n):
    out = []
    k = 0
    while True:
        k += 1
        out.append(x * k)
        if k > n:
            try:
                out = out[5]
            except IndexError:
                pass
            break
    return out[0] + out[1]


def arguments():
    x = number("float", 0.79)
    return x, 2

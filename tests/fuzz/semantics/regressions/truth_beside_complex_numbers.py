def program(y):
    def multiples(a):
        k = 0
        while k < 3:
            yield a * k
            k += 1

    y.append(all(multiples(y[1])))
    return y[0] + y[1] + y[2]


def arguments():
    y = [number("complex64", 1j), number("float16", 0.0)]
    return (y,)

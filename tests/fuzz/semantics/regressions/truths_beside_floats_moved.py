def program(u):
    for _ in range(1):
        u[1] = u[1]
    return u[0] * 2.0


def arguments():
    u = [laid("C", "float64", (3,), 1), laid("C", "bool", (2,), 1)]
    return (u,)

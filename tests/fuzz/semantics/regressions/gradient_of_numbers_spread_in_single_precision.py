def program(place, speed, n):
    sums = []
    for _ in range(n):
        speed = speed + 0.5 * place
        place = place + 0.25 * speed
        sums.append(0.5 * np.sum(speed**2))
    return sums[-1]


def arguments():
    return (
        laid("C", "float32", (2, 2), 1),
        laid("C", "float32", (2, 2), 2),
        number("int", 2),
    )

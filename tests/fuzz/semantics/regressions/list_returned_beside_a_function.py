def program(y):
    kept = ["a"]
    kept.append(y)
    return [y, y, np.where], kept


def arguments():
    return ([laid("C", "complex128", (1,), 68), laid("C", "uint8", (3, 3), 1)],)

# A real cotangent of a complex array, into which complex ones are added.
def program(x):
    parts = {i: q for i, q in enumerate(x)}
    return np.sum(x) + parts[0][0]


def arguments():
    return (laid("C", "complex128", (2, 3), 1),)

def program(x):
    both = [np.sin, x]
    seen = isinstance(both, list), type(both) is list
    return both, (np.tan, [np.cos, [x, np.exp]]), [np.sin], seen


def arguments():
    return (number("float", 0.5),)

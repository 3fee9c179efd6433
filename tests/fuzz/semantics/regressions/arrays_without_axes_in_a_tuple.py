def program(x, z):
    return np.broadcast_arrays(x, 2.0), np.real_if_close(z), np.real_if_close(x)


def arguments():
    return number("float", 0.75), number("complex", 0.5 + 0j)

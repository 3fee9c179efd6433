def program(x):
    try:
        np.isinf([[x], [x]], dtype=int)
    except TypeError:
        return np.sin([x], dtype=np.float32)
    return x


def arguments():
    return (number("float", 0.5),)

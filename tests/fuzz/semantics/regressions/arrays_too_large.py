def made(n, m):
    try:
        return np.zeros((n, m)).shape
    except ValueError:
        return "ValueError"
    except MemoryError:
        return "MemoryError"


def program(x, n):
    return made(n, n), made(2**62, 1), made(2**30, 2**29), made(3, 2), x * 2


def arguments():
    return number("float", 1.5), 2**35

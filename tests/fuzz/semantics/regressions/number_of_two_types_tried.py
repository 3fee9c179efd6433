def program(x, n):
    try:
        v = 3 if n else x
        made = np.full(2, v)
        if x > 100:
            raise ValueError
    except Exception:
        made = "none"
    return made


def arguments():
    return number("float", 0.5), 1

def program(x):
    try:
        try:
            y = 1.0 / (x - x)
        finally:
            try:
                z = x * 2
            finally:
                z = x * 3
    except ZeroDivisionError:
        y = 5.0
    return z + y * x


def arguments():
    return (number("float", 1.5),)

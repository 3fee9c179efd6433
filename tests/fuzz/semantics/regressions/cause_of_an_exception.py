def program(x):
    found = []
    try:
        try:
            raise ValueError("a")
        except ValueError as e:
            raise RuntimeError("b") from e
    except RuntimeError as e:
        found.append(type(e.__cause__).__name__)
    try:
        try:
            [].pop()
        except IndexError:
            raise RuntimeError("c") from None
    except Exception as e:
        found.append(type(e.__cause__).__name__)
    return x * len(found), tuple(found)


def arguments():
    return (number("float", 1.5),)

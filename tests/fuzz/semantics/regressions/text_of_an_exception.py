def program(x):
    found = []
    try:
        int("a")
    except ValueError as e:
        found.append(str(e))
    try:
        {}["zz"]
    except KeyError as e:
        found.append(str(e))
    return x * len(found[0]), tuple(found)


def arguments():
    return (number("float", 1.5),)

def program(x, out):
    for k in range(4):
        try:
            if k == 0:
                1 in x
            elif k == 1:
                range(out)
            elif k == 2:
                isinstance(k, x)
            else:
                [1.0, x][::0]
            out.append("none")
        except (TypeError, ValueError) as error:
            out.append(type(error).__name__)
    return x, out


def arguments():
    return number("float", 1.5), []

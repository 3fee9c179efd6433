def program(x):
    steps = iter(x)
    found = next(steps), next(steps, None)
    x.append(2.5)
    return found, list(steps)


def arguments():
    return ([1.5],)

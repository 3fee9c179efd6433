def program(a, b, k):
    said = []
    for index in range(5):
        try:
            if index == 0:
                a[1.5] = 3
            elif index == 1:
                a[[0, k]] = 7
            elif index == 2:
                a @= np.ones(a.shape)
            elif index == 3:
                np.sum(b, axis=0, out=a[:1])
            else:
                np.put_along_axis(a, np.array([[0]]), 9, axis=0)
        except (IndexError, ValueError, TypeError) as error:
            said.append(type(error).__name__)
    return a.sum()


def arguments():
    return laid("C", "float64", (3,), 5), laid("C", "float64", (2, 3), 6), 9

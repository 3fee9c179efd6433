def program(x, items, a):
    above = [v > 1 for v in items]
    again = above + [2]
    above.append(a == 1)
    return again, above[0], above, sum(above), x * 2


def arguments():
    return number("float", 1.5), [-2.5, np.float64(2.5)], 1

def program(x, n):
    best = []
    start = 1 if x > 0.2 else 0.5

    def power(n):
        if n == 0:
            return 1
        return x * power(n - 1)

    def handed(n, a):
        if n == 0:
            best.append(a)
            return np.array([a]), (a, n)
        return handed(n - 1, a)

    def tree(n, a):
        if n == 0:
            return (a, n)
        left, right = tree(n - 1, a * 2 if x > 0 else a / 2)
        return (right, left)

    def grown(n, items):
        if n == 0:
            return items
        return grown(n - 1, items + [n if x > 0.2 else 0.5])

    def even(n):
        return start if n == 0 else odd(n - 1) * x

    def odd(n):
        return 0 if n == 0 else even(n - 1) + x

    powers = power(n), power(0), [power(n)], np.full(2, power(n - 3))
    both = even(n), odd(n), even(0), odd(0)
    return powers, both, handed(n, start), tree(n, 1), grown(n, [1]), best


def arguments():
    return number("float", 0.5), 3

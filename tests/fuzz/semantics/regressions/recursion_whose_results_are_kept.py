@functools.lru_cache(maxsize=None)
def rabbits(n):
    return n if n < 2 else rabbits(n - 1) + rabbits(n - 2)


@functools.cache
def ways(n):
    return 1 if n <= 0 else sum(ways(n - c) for c in (1, 2, 5))


def program(x, n):
    return rabbits(n), ways(n), x * 2


def arguments():
    return number("float", 1.5), 60

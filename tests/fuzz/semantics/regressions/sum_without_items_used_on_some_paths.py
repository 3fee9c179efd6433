class Mine(ValueError):
    pass


@contextlib.contextmanager
def swallows(log):
    yield 1.5


def gen0(x, a, k, log):
    b = 1
    log.append(1)
    sent = yield a


def tried(x, a, k, log):
    b = 0
    d = sum((q for q in gen0(x, a - b, k, log) if q > 0.5))
    a = abs(d) - x[0] * a
    with swallows(log):
        for i1 in range(3):
            x[0] = 0.5
        else:
            try:
                if len(log) % 2:
                    return
                n2 = 0
                while n2 < 2 and b:
                    n2 += 1
                    log.append(1)
                x[1] = next(gen0(x, b, k, log), 0.0)
            except Mine:
                try:
                    a, b = [1.0] * k
                    if log:
                        raise Mine(k)
                    x[1] += d
                except Exception as c:
                    log.append(type(c).__name__)
                    log.clear()
                    raise KeyError(k)
                finally:
                    x[k] *= (c := (a + 1.0))
                    g3 = iter(gen0(x, a, k, log))
                x[1] *= d and a
            finally:
                log.append(2)
    return (a, d)


def program(x, a, k):
    log = []
    try:
        r = tried(x, a, k, log)
    except Exception as error:
        r = type(error).__name__
    return (r, log, x * 1.0, a)


def arguments():
    x = laid("C", "float64", (3,), 216)
    a = number("float", 0.5)
    k = number("int", 2)
    return (x, a, k)

def tried(x, a, k, log):
    b = 0.5
    try:
        n = 0
        while n < 1:
            n += 1
        x[k] += b if b is None else a
        a = [1.0][k]
    except Exception:
        try:
            return b
        except ArithmeticError as a:
            log.append(3)
        finally:
            log.append(5)
    except ValueError:
        log.append(6)


def program(x, a, k):
    log = []
    try:
        r = tried(x, a, k, log)
    except Exception as error:
        r = type(error).__name__
    return r, log, x * 1.0, a


def arguments():
    x = laid("C", "float64", (3,), 292)
    a = number("float", 0.5)
    k = number("int", 1)
    return x, a, k

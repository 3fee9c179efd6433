def program(x):
    d = 0.0
    try:
        for b in x:
            try:
                d = b
                raise TypeError
            except LookupError:
                pass
            except:
                b = 0.5 + sum(q for q in x if q > d)
            finally:
                pass
    except ValueError:
        pass
    return b, x[0] * d


def arguments():
    return (laid("C", "float64", (3,), 1),)

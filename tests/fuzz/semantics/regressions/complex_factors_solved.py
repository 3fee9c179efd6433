from scipy import linalg


def program(z, b):
    factors = linalg.lu_factor(z + 4 * np.eye(2))
    return linalg.lu_solve(factors, b)


def arguments():
    z = laid("C", "complex128", (2, 2), 1)
    return z, laid("C", "complex128", (2,), 2)

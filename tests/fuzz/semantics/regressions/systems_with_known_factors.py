import scipy.linalg

A = np.array([[4.0, 1.0, 0.5], [0.25, 3.0, 1.0], [0.5, 1.0, 5.0]])


def program(x):
    lu = scipy.linalg.lu_solve(scipy.linalg.lu_factor(A), x)
    cho = scipy.linalg.cho_solve(scipy.linalg.cho_factor(A @ A.T), x)
    fitted = np.linalg.lstsq(A[:, :2], x, rcond=None)[0]
    return lu @ cho + np.sum(fitted**2)


def arguments():
    x = laid("C", "float64", (3,), 1)
    return (x,)

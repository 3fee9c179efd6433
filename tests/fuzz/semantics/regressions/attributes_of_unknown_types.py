from scipy import stats


def program(x):
    v = stats.norm.rvs(size=(2, 3), random_state=0) * x
    return v.shape[0] * np.sum(v.T[0]) + v.ndim * v.real[0, 1] + v.size * v.imag[0, 0]


def arguments():
    return (laid("C", "float64", (3,), 1),)

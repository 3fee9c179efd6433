from scipy import sparse, stats


def program(x):
    z = stats.norm.rvs(size=3, random_state=0)
    y = z
    z[0] = 0
    z[z > 0.5] = 1
    z += x[0]
    m = sparse.csr_matrix(np.eye(3)).toarray()
    m[0, 1] += 1
    m.T[2] = 9
    return y, np.sum(m @ x)


def arguments():
    return (laid("C", "float64", (3,), 1),)

from scipy import sparse


def program(x):
    m = sparse.csr_matrix(np.eye(3)).toarray() * x
    np.multiply(m, m, out=m)
    return np.sum(m)


def arguments():
    return (number("float", 1.5),)

import scipy.sparse


def program(x):
    v = scipy.sparse.csr_matrix(x).toarray()
    np.add(v, 1.5, out=v)
    return v


def arguments():
    x = laid("C", "int64", (4, 3), 1)
    return (x,)

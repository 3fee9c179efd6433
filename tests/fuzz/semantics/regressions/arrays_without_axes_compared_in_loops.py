def program(w):
    both = [w, w]
    s = 0.0
    for p in both:
        for q in both:
            if p is not q:
                continue
            s += 1.0
    return s


def arguments():
    return (laid("C", "float64", (), 1),)

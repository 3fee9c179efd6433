POINT = 3117

import numpy as np

class Box:

    def __init__(self, a, s):
        self.a = a

def helper1(p2, f, scale=1.4):
    w3 = p2.a
    v4 = [w3]
    v4.append(np.cumsum(p2.a))
    w5 = v4.pop()

def program(x, y, m, s):
    helper1(Box(m, 0 < 0.5), lambda u: (1, 2), scale=s)
    w22 = 0.5
    return w22

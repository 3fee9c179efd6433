POINT = 2718

class Box:
    pass

def helper4(p5, p6, p7, scale=1.3):
    scale *= p5[-1][0]
    p5.append(p5[0])
    w8 = p5.pop()
    return scale

def program(x, y, m, s):
    v14 = x
    w16 = helper4([v14], Box, Box, scale=2)
    return w16

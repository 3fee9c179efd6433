MASK = 0xFFFFFFFFFFFFFFFF


def hashed(text):
    h = 0xCBF29CE484222325
    for c in text:
        h = (h ^ ord(c)) * 0x100000001B3 & MASK
    return h


def program(x, n, large):
    counts = 0
    for k in range(70):
        counts = counts << 1 | k & 1
    lowest = n - 2**62
    return (
        *(x + large % 7, large, hashed("abc"), math.factorial(25), counts.bit_length()),
        *(-lowest, abs(lowest), lowest // -1, n & MASK, n % 2**64, n // 2**65),
    )


def arguments():
    return number("float", 1.5), -(2**62), 2**70

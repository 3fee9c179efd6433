"""Complex numbers in loops, in arrays that are changed, in branches and functions."""

import numpy as np
from corpus.registry import program


def two(rng):
    return rng.uniform(0.1, 0.4), rng.uniform(0.1, 0.4)


def waves(rng):
    return rng.normal(size=6), rng.normal(size=6), rng.uniform(size=6)


@program(two)
def escape_of_a_point(re, im):
    c = complex(re, im)
    z = 0j
    for _ in range(30):
        z = z**2 + c
        if abs(z) > 0.3:
            break
    return abs(z) + z.real * z.imag


@program(waves)
def schroedinger_step(re, im, potential):
    psi = re + 1j * im
    for _ in range(5):
        bent = np.zeros_like(psi)
        bent[1:-1] = psi[2:] - 2 * psi[1:-1] + psi[:-2]
        psi = psi + 0.1j * (0.5 * bent - potential * psi)
        psi = psi / np.sqrt(np.sum(np.abs(psi) ** 2))
    return np.sum(np.abs(psi) ** 2 * potential)


@program(lambda rng: (rng.uniform(-1, 1, size=3),))
def durand_kerner(c):
    z = np.array([(0.4 + 0.9j) ** k for k in range(3)])
    for _ in range(4):
        for i in range(3):
            p = 1.0 + 0j
            for a in c:
                p = p * z[i] + a
            q = 1.0 + 0j
            for j in range(3):
                if j != i:
                    q = q * (z[i] - z[j])
            z[i] = z[i] - p / q
    return np.sum(np.abs(z) ** 2)


def fourier(x):
    n = len(x)
    if n == 1:
        return x + 0j
    even, odd = fourier(x[::2]), fourier(x[1::2])
    turned = np.exp(-2j * np.pi * np.arange(n // 2) / n) * odd
    return np.concatenate([even + turned, even - turned])


@program(lambda rng: (rng.normal(size=8), rng.uniform(size=8)))
def power_spectrum(x, w):
    return np.sum(w * np.abs(fourier(x)) ** 2)


@program(lambda rng: (rng.normal(size=9), rng.uniform(0.5, 0.9), rng.normal()))
def resonator(x, radius, angle):
    pole = radius * np.exp(1j * angle)
    state, energy = 0j, 0.0
    for t in range(len(x)):
        state = pole * state + x[t]
        energy = energy + (state * state.conjugate()).real
    return energy


@program(lambda rng: (np.sort(rng.uniform(0.1, 3, size=7)), rng.uniform(1.1, 1.4)))
def wing_section(angle, radius):
    circle = radius * np.exp(1j * angle) - 0.1 + 0.05j
    wing = circle + 1 / circle
    length = np.sum(np.abs(wing[1:] - wing[:-1]))
    return length + np.sum(np.angle(circle)) + np.sum(np.sqrt(circle).imag)


def cell(z):
    return np.tanh(z) * np.sin(z) + np.log(z + 3) ** 2


@program(lambda rng: (rng.normal(size=4) * 0.3, rng.normal(size=(3, 4))))
def complex_states(w, xs):
    h = np.zeros(4, dtype=complex)
    for x in xs:
        h = cell((w + 0.5j) * h + x)
    return np.sum(h.real**2 + h.imag**2)


@program(waves)
def chosen_and_joined(re, im, w):
    z = re + 1j * im
    kept = np.where(w > 0.5, z, np.conj(z) * 2)
    both = np.concatenate((kept, z[::-1]))
    table = np.stack((kept, z)).T
    total = np.sum(both) * np.mean(table) + np.sum(table, axis=0)[1]
    return total.real - total.imag


@program(waves)
def rows_of_waves(re, im, w):
    z = (re + 1j * im)[:, None] * w
    z = z.reshape(4, 9) + np.full((1, 9), 0.5 - 0.2j)
    picked = z[np.array([2, 0, 2])] * np.cosh(z[1])
    return np.sum(np.abs(picked)) + np.sum((z / (2.5 + 1j)).real)


@program(two)
def powers(re, im):
    z = complex(re, im)
    w = z**3 + z**-2 + z**0.5 + 2.0**z + z ** (1 - 0.5j)
    return w.real + 2 * w.imag


@program(two)
def compared(re, im):
    z, w = complex(re, im), complex(im, re)
    if z == w or not z:
        return re
    return abs(z - w) if z != z.conjugate() else im

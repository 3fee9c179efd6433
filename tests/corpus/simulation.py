"""Simulations: differential equations, particles, control, rendering, finance."""

import math

import numpy as np
from corpus.registry import program


def pendulum(rng):
    return rng.uniform(0.5, 1.0), rng.normal(), rng.uniform(0.5, 1.5)


@program(pendulum)
def euler_pendulum(theta, omega, length):
    dt = 0.1
    for _ in range(6):
        theta, omega = theta + dt * omega, omega - dt * 9.81 / length * np.sin(theta)
    return theta


def rk4_step(f, y, h):
    k1 = f(y)
    k2 = f(y + 0.5 * h * k1)
    k3 = f(y + 0.5 * h * k2)
    k4 = f(y + h * k3)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


@program(lambda rng: (rng.uniform(0.5, 1.5, size=2), rng.uniform(0.5, 1.0, size=4)))
def lotka_volterra_rk4(y, p):
    def field(s):
        prey, hunters = s
        return np.array(
            [
                p[0] * prey - p[1] * prey * hunters,
                p[2] * prey * hunters - p[3] * hunters,
            ]
        )

    for _ in range(4):
        y = rk4_step(field, y, 0.2)
    return y.sum()


@program(pendulum)
def leapfrog(q, p, k):
    h = 0.2
    p = p - 0.5 * h * k * q
    for step in range(4):
        q = q + h * p
        if step != 3:
            p = p - h * k * q
    p = p - 0.5 * h * k * q
    return 0.5 * p**2 + 0.5 * k * q**2 + q


@program(lambda rng: (rng.normal(size=3), rng.uniform(0.5, 1.0)))
def adaptive_euler_with_rejection(y, rate):
    t, h, tries = 0.0, 0.4, 0
    while t < 0.6 and tries < 6:
        tries += 1
        full = y - h * rate * y**3
        half = y - 0.5 * h * rate * y**3
        half = half - 0.5 * h * rate * half**3
        if np.max(np.abs(full - half)) > 0.15:
            h = h * 0.5
            continue
        y, t = half, t + h
    return (y**2).sum()


@program(lambda rng: (rng.normal(size=2), rng.uniform(0.5, 1.5)))
def implicit_euler_with_newton(y, stiffness):
    h = 0.3
    for _ in range(2):
        z = y
        for _ in range(3):
            r = z - y + h * stiffness * z**3
            z = z - r / (1 + 3 * h * stiffness * z**2)
        y = z
    return y.sum()


@program(
    lambda rng: (rng.uniform(0.2, 0.5), rng.uniform(0.05, 0.2), rng.uniform(0.01, 0.1))
)
def sir_epidemic(beta, gamma, infected):
    s, i, r = 1.0 - infected, infected, 0.0
    peak = i
    for _ in range(6):
        new = beta * s * i
        recovered = gamma * i
        s, i, r = s - new, i + new - recovered, r + recovered
        peak = max(peak, i)
    return peak + r


@program(lambda rng: (rng.normal(size=(3, 2)), rng.uniform(1, 2, size=3)))
def n_body_energy(position, mass):
    energy = 0.0
    n = len(mass)
    for i in range(n):
        for j in range(i + 1, n):
            d = position[i] - position[j]
            energy -= mass[i] * mass[j] / np.sqrt((d**2).sum() + 0.1)
    return energy


@program(
    lambda rng: (
        rng.normal(size=(3, 2)),
        rng.normal(size=(3, 2)),
        rng.uniform(1, 2, size=3),
    ),
    tags=["writes"],
)
def n_body_steps_in_place(x, v, mass):
    x, v = x.copy(), v.copy()
    for _ in range(2):
        a = np.zeros_like(x)
        for i in range(3):
            for j in range(3):
                if i == j:
                    continue
                d = x[j] - x[i]
                a[i] += mass[j] * d / ((d @ d) + 0.5) ** 1.5
        v += 0.1 * a
        x += 0.1 * v
    return (x**2).sum() + (v**2).sum()


@program(lambda rng: (rng.normal(size=(4, 2)), rng.uniform(0.5, 1.0)))
def lennard_jones_vectorised(x, sigma):
    d = x[:, None, :] - x[None, :, :]
    r2 = (d**2).sum(-1) + np.eye(4) + 1.0
    s6 = (sigma**2 / r2) ** 3
    return np.triu(4 * (s6**2 - s6), 1).sum()


@program(lambda rng: (rng.normal(size=6), rng.uniform(0.1, 0.3)), tags=["writes"])
def heat_equation_in_place(u, k):
    u = u.copy()
    for _ in range(3):
        u[1:-1] += k * (u[2:] - 2 * u[1:-1] + u[:-2])
    return (u**2).sum()


@program(lambda rng: (rng.normal(size=(4, 4)),), tags=["writes"])
def laplace_with_two_buffers(u):
    old = u.copy()
    new = u.copy()
    for _ in range(3):
        for i in range(1, 3):
            for j in range(1, 3):
                new[i, j] = 0.25 * (
                    old[i - 1, j] + old[i + 1, j] + old[i, j - 1] + old[i, j + 1]
                )
        old, new = new, old
    return (old**2).sum()


@program(lambda rng: (rng.normal(size=(4, 4)), rng.uniform(1.0, 1.5)), tags=["writes"])
def red_black_relaxation(u, omega):
    u = u * 1.0
    for sweep in range(2):
        for i in range(1, 3):
            for j in range(1, 3):
                if (i + j + sweep) % 2 == 0:
                    r = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]
                    u[i, j] += omega * (0.25 * r - u[i, j])
    return np.sin(u).sum()


@program(lambda rng: (rng.normal(size=6), rng.normal(size=6), rng.uniform(0.2, 0.5)))
def wave_equation(u, previous, c):
    for _ in range(3):
        lap = np.roll(u, 1) - 2 * u + np.roll(u, -1)
        u, previous = 2 * u - previous + c**2 * lap, u
    return (u**2).sum() + previous[0]


@program(
    lambda rng: (rng.uniform(0.5, 1.5, size=5), rng.uniform(0.1, 0.3)), tags=["writes"]
)
def burgers_upwind(u, ratio):
    u = u.copy()
    for _ in range(3):
        flux = 0.5 * u * u
        u[1:] = u[1:] - ratio * (flux[1:] - flux[:-1])
    return (u**2).sum()


@program(lambda rng: (rng.uniform(0.5, 1.0, size=3), rng.normal()))
def pid_controller(gains, target):
    kp, ki, kd = gains
    state, integral, previous = 0.0, 0.0, target
    for _ in range(5):
        error = target - state
        integral += error * 0.1
        derivative = (error - previous) / 0.1
        state += 0.1 * (kp * error + ki * integral + 0.01 * kd * derivative)
        previous = error
    return (state - target) ** 2


@program(lambda rng: (rng.normal(size=4), rng.uniform(1, 2, size=3)))
def spring_mass_chain(x, k):
    v = np.zeros(4)
    for _ in range(4):
        stretch = np.diff(x) - 1.0
        force = np.concatenate([k * stretch, [0.0]]) - np.concatenate(
            [[0.0], k * stretch]
        )
        v = 0.9 * v + 0.1 * force
        x = x + 0.1 * v
    return (x**2).sum()


@program(lambda rng: (rng.uniform(1.0, 2.0), rng.uniform(0.5, 1.5)))
def bouncing_ball(height, speed):
    bounces = 0
    for _ in range(6):
        speed = speed - 9.81 * 0.12
        height = height + speed * 0.12
        if height < 0:
            height = -0.8 * height
            speed = -0.8 * speed
            bounces += 1
    return height + speed**2 + bounces


@program(lambda rng: (rng.uniform(8.0, 12.0), rng.uniform(0.5, 1.0)))
def projectile_until_landing(speed, angle):
    x, y = 0.0, 0.0
    vx, vy = speed * math.cos(angle), speed * math.sin(angle)
    dt = 0.25
    while True:
        drag = 0.02 * math.sqrt(vx * vx + vy * vy)
        vx -= dt * drag * vx
        vy -= dt * (9.81 + drag * vy)
        if y + dt * vy < 0:
            return x + vx * y / -vy
        x += dt * vx
        y += dt * vy


@program(lambda rng: (rng.uniform(-0.3, 0.3, size=3), rng.uniform(0.9, 1.2)))
def ray_sphere_intersection(direction, radius):
    d = direction + np.array([0.0, 0.0, 1.0])
    d = d / np.linalg.norm(d)
    oc = np.array([0.0, 0.0, -3.0])
    b = oc @ d
    disc = b * b - (oc @ oc - radius**2)
    if disc < 0:
        return disc
    t = -b - np.sqrt(disc)
    normal = (oc + t * d) / radius
    return normal @ np.array([0.5, 0.5, -0.7]) + 0.1 * t


@program(lambda rng: (rng.uniform(-0.2, 0.2, size=3),))
def ray_marching(direction):
    d = direction + np.array([0.0, 0.0, 1.0])
    p = np.array([0.0, 0.0, -2.0])
    for _ in range(5):
        distance = np.sqrt((p**2).sum() + 0.01) - 0.7
        if distance < 0.1:
            break
        p = p + distance * d
    return p.sum()


@program(
    lambda rng: (rng.uniform(90, 110), rng.uniform(95, 105), rng.uniform(0.1, 0.3))
)
def black_scholes(spot, strike, vol):
    cdf = lambda v: 0.5 * (1 + math.erf(v / math.sqrt(2)))
    rate, expiry = 0.03, 1.5
    d1 = (math.log(spot / strike) + (rate + vol**2 / 2) * expiry) / (
        vol * math.sqrt(expiry)
    )
    d2 = d1 - vol * math.sqrt(expiry)
    return spot * cdf(d1) - strike * math.exp(-rate * expiry) * cdf(d2)


@program(lambda rng: (rng.uniform(90, 110), rng.uniform(0.1, 0.3)), tags=["writes"])
def binomial_option_tree(spot, vol):
    n, dt = 4, 0.25
    up = np.exp(vol * np.sqrt(dt))
    p = (np.exp(0.03 * dt) - 1 / up) / (up - 1 / up)
    value = np.zeros(n + 1)
    for i in range(n + 1):
        value[i] = max(spot * up ** (2 * i - n) - 101.3, 0.0)
    for step in range(n, 0, -1):
        for i in range(step):
            value[i] = np.exp(-0.03 * dt) * (p * value[i + 1] + (1 - p) * value[i])
    return value[0]


@program(lambda rng: (rng.uniform(0.02, 0.06), rng.uniform(1, 2, size=4)))
def present_value_and_yield(rate, flows):
    price = 0.0
    for t, flow in enumerate(flows, start=1):
        price += flow / (1 + rate) ** t
    y = 0.05
    for _ in range(3):
        f, g = -price, 0.0
        for t, flow in enumerate(flows, 1):
            f += flow / (1 + y) ** t
            g -= t * flow / (1 + y) ** (t + 1)
        y = y - f / g
    return price + y


@program(lambda rng: (rng.normal(size=3), rng.uniform(0.5, 1.0), rng.normal(size=3)))
def monte_carlo_with_fixed_noise(weights, vol, noise):
    paths = [1.0, 1.0]
    total = 0.0
    for z in noise:
        paths = [
            p * np.exp(0.1 * vol * s * z - 0.005 * vol**2)
            for p, s in zip(paths, (1, -1))
        ]
        total += sum(paths)
    return total * weights.sum()


@program(lambda rng: (rng.uniform(0.3, 1.2, size=3), rng.uniform(0.5, 1.0, size=3)))
def robot_arm_forward_kinematics(angles, lengths):
    position = np.zeros(2)
    heading = 0.0
    for angle, length in zip(angles, lengths):
        heading += angle
        position = position + length * np.array([np.cos(heading), np.sin(heading)])
    return ((position - np.array([1.0, 0.5])) ** 2).sum()


def rotation(axis, angle):
    c, s = np.cos(angle), np.sin(angle)
    if axis == 0:
        return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
    if axis == 1:
        return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


@program(lambda rng: (rng.normal(size=3), rng.normal(size=3)))
def euler_angle_rotations(angles, point):
    for axis, angle in enumerate(angles):
        point = rotation(axis, angle) @ point
    return point[0] * point[1] + point[2]


@program(lambda rng: (rng.normal(size=4), rng.normal(size=3)))
def quaternion_rotation(q, v):
    w, x, y, z = q / np.sqrt((q**2).sum())
    u = np.array([x, y, z])
    t = 2 * np.cross(u, v)
    return (v + w * t + np.cross(u, t)) @ np.array([1.0, 2.0, 3.0])


@program(lambda rng: (rng.normal(size=(4, 2)),))
def polygon_area_and_perimeter(p):
    area, perimeter = 0.0, 0.0
    for i in range(len(p)):
        (x0, y0), (x1, y1) = p[i - 1], p[i]
        area += x0 * y1 - x1 * y0
        perimeter += np.hypot(x1 - x0, y1 - y0)
    return 0.5 * area + perimeter

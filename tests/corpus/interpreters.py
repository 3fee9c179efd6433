"""Programs that run programs: expression trees, stack machines, number classes."""

import numpy as np
from corpus.registry import program


def vector(rng):
    return (rng.normal(size=4),)


def scalar(rng):
    return (rng.normal(),)


class Number:
    def __init__(self, value):
        self.value = value

    def evaluate(self, env):
        return self.value


class Variable:
    def __init__(self, name):
        self.name = name

    def evaluate(self, env):
        return env[self.name]


class Binary:
    def __init__(self, left, right):
        self.left = left
        self.right = right


class Sum(Binary):
    def evaluate(self, env):
        return self.left.evaluate(env) + self.right.evaluate(env)


class Product(Binary):
    def evaluate(self, env):
        return self.left.evaluate(env) * self.right.evaluate(env)


class Let:
    def __init__(self, name, value, body):
        self.name, self.value, self.body = name, value, body

    def evaluate(self, env):
        inner = dict(env)
        inner[self.name] = self.value.evaluate(env)
        return self.body.evaluate(inner)


@program(vector)
def expression_tree_with_classes(x):
    tree = Sum(
        Product(Number(x[0]), Variable("a")), Product(Variable("b"), Variable("b"))
    )
    return tree.evaluate({"a": x[1], "b": x[2] * x[3]})


@program(vector)
def expression_tree_with_let(x):
    body = Product(Variable("t"), Sum(Variable("t"), Variable("u")))
    tree = Let("t", Product(Variable("u"), Number(x[1])), body)
    return tree.evaluate({"u": x[0]}) + x[2] * x[3]


@program(
    lambda rng: (
        Sum(Number(rng.normal()), Product(Number(rng.normal()), Variable("v"))),
        rng.normal(),
    ),
    tags=["object"],
)
def expression_tree_as_argument(tree, v):
    return tree.evaluate({"v": v}) ** 2


def evaluate(expression, env):
    if isinstance(expression, str):
        return env[expression]
    if isinstance(expression, float):
        return expression
    op, *args = expression
    values = [evaluate(a, env) for a in args]
    if op == "+":
        return sum(values)
    if op == "*":
        product = 1.0
        for v in values:
            product = product * v
        return product
    if op == "sin":
        return np.sin(values[0])
    raise ValueError(f"unknown operation {op}")


@program(lambda rng: (rng.normal(), rng.normal()))
def s_expressions(x, y):
    program = ("+", ("*", "x", "y", 2.0), ("sin", ("*", "x", "x")), "y")
    return evaluate(program, {"x": x, "y": y})


@program(vector, tags=["writes"])
def stack_machine(x):
    code = [
        ("push", 0),
        ("push", 1),
        ("mul", None),
        ("push", 2),
        ("add", None),
        ("dup", None),
        ("mul", None),
    ]
    stack = []
    for op, arg in code:
        if op == "push":
            stack.append(x[arg])
        elif op == "dup":
            stack.append(stack[-1])
        else:
            b, a = stack.pop(), stack.pop()
            stack.append(a * b if op == "mul" else a + b)
    return stack.pop() * x[3]


@program(vector, tags=["writes"])
def register_machine_with_jumps(x):
    r = [x[0], x[1], 1.0]
    counter, fuel, pc = 3, 30, 0
    code = [("mul", 2, 0), ("add", 2, 1), ("loop", 0, 0), ("halt", 0, 0)]
    while fuel > 0:
        fuel -= 1
        op, i, j = code[pc]
        pc += 1
        if op == "mul":
            r[i] = r[i] * r[j]
        elif op == "add":
            r[i] = r[i] + r[j] * x[2]
        elif op == "loop":
            counter -= 1
            if counter > 0:
                pc = 0
        else:
            break
    return r[2] + x[3] ** 2


@program(vector, tags=["writes"])
def reverse_polish_calculator(x):
    table = {"+": lambda a, b: a + b, "*": lambda a, b: a * b, "-": lambda a, b: a - b}
    values = dict(zip("abcd", x))
    stack = []
    for token in "a b + c * d -".split():
        if token in table:
            right = stack.pop()
            left = stack.pop()
            stack.append(table[token](left, right))
        else:
            stack.append(values[token])
    assert len(stack) == 1
    return stack[0] ** 2


@program(vector, tags=["writes"])
def virtual_machine_with_memory_array(x):
    memory = np.zeros(6)
    memory[:4] = x
    for target, op, a, b in [
        (4, "*", 0, 1),
        (5, "+", 4, 2),
        (0, "*", 5, 5),
        (4, "-", 0, 3),
    ]:
        if op == "*":
            memory[target] = memory[a] * memory[b]
        elif op == "+":
            memory[target] = memory[a] + memory[b]
        else:
            memory[target] = memory[a] - memory[b]
    return memory[4] * memory[0]


class Dual:
    def __init__(self, value, slope=0.0):
        self.value = value
        self.slope = slope

    def __add__(self, other):
        other = lift(other)
        return Dual(self.value + other.value, self.slope + other.slope)

    def __mul__(self, other):
        other = lift(other)
        return Dual(
            self.value * other.value,
            self.slope * other.value + self.value * other.slope,
        )

    __radd__ = __add__
    __rmul__ = __mul__

    def sin(self):
        return Dual(np.sin(self.value), self.slope * np.cos(self.value))


def lift(v):
    return v if isinstance(v, Dual) else Dual(v)


@program(scalar)
def dual_numbers(x):
    d = Dual(x, 1.0)
    y = 2.0 * d * d + d.sin() * d + 3.0
    return y.slope * y.value


@program(scalar)
def dual_numbers_in_newton(x):
    for _ in range(2):
        d = Dual(x, 1.0)
        f = d * d * d + 2.0 * d + (-1.0)
        x = x - 0.7 * f.value / f.slope
    return x


class Polynomial:
    def __init__(self, coefficients):
        self.coefficients = list(coefficients)

    def __call__(self, x):
        total = 0.0
        for c in reversed(self.coefficients):
            total = total * x + c
        return total

    def __add__(self, other):
        a, b = self.coefficients, other.coefficients
        if len(a) < len(b):
            a, b = b, a
        return Polynomial([u + v for u, v in zip(a, b)] + a[len(b) :])

    def __mul__(self, other):
        out = [0.0] * (len(self.coefficients) + len(other.coefficients) - 1)
        for i, a in enumerate(self.coefficients):
            for j, b in enumerate(other.coefficients):
                out[i + j] += a * b
        return Polynomial(out)

    def derivative(self):
        return Polynomial([k * c for k, c in enumerate(self.coefficients)][1:])


@program(vector, tags=["writes"])
def polynomial_class(x):
    p = Polynomial(x[:3])
    q = Polynomial([x[3], 1.0])
    r = p * q + p
    return r(0.7) + r.derivative()(x[0])


class Matrix:
    def __init__(self, rows):
        self.rows = rows

    def __matmul__(self, other):
        columns = list(zip(*other.rows))
        return Matrix(
            [
                [sum(a * b for a, b in zip(row, col)) for col in columns]
                for row in self.rows
            ]
        )

    def __getitem__(self, index):
        i, j = index
        return self.rows[i][j]

    @property
    def T(self):
        return Matrix([list(col) for col in zip(*self.rows)])

    def trace(self):
        return sum(self.rows[i][i] for i in range(len(self.rows)))


@program(vector)
def matrix_class(x):
    m = Matrix([[x[0], x[1]], [x[2], x[3]]])
    p = m @ m.T @ m
    return p.trace() * m[0, 1] + p[1, 0]


class Interval:
    def __init__(self, lo, hi):
        self.lo, self.hi = lo, hi

    def __add__(self, other):
        return Interval(self.lo + other.lo, self.hi + other.hi)

    def __mul__(self, other):
        ends = [a * b for a in (self.lo, self.hi) for b in (other.lo, other.hi)]
        return Interval(min(ends), max(ends))

    @property
    def width(self):
        return self.hi - self.lo


@program(vector)
def interval_arithmetic(x):
    a = Interval(x[0], x[0] + 1.0)
    b = Interval(x[1] - 0.5, x[1] * x[1] + 0.6)
    return (a * b + a).width * x[2]


class Complex:
    def __init__(self, re, im=0.0):
        self.re, self.im = re, im

    def __mul__(self, o):
        return Complex(self.re * o.re - self.im * o.im, self.re * o.im + self.im * o.re)

    def __add__(self, o):
        return Complex(self.re + o.re, self.im + o.im)

    def __abs__(self):
        return np.sqrt(self.re**2 + self.im**2)


@program(lambda rng: (rng.normal(), rng.normal()))
def complex_number_class_with_escape(x, y):
    c = Complex(x, y)
    z = c
    for _ in range(5):
        z = z * z + c
        if abs(z) > 2:
            break
    return abs(z)


class Tape:
    def __init__(self):
        self.steps = []

    def record(self, value, parents):
        self.steps.append((value, parents))
        return len(self.steps) - 1

    def backward(self):
        grads = [0.0] * len(self.steps)
        grads[-1] = 1.0
        for k in range(len(self.steps) - 1, -1, -1):
            for parent, local in self.steps[k][1]:
                grads[parent] += grads[k] * local
        return grads


@program(lambda rng: (rng.normal(), rng.normal()), tags=["writes"])
def reverse_mode_tape_by_hand(x, y):
    tape = Tape()
    a = tape.record(x, [])
    b = tape.record(y, [])
    p = tape.record(x * y, [(a, y), (b, x)])
    tape.record(np.sin(x * y) * x, [(p, np.cos(x * y) * x), (a, np.sin(x * y))])
    grads = tape.backward()
    return grads[a] * grads[b] + tape.steps[-1][0]


@program(vector, tags=["writes"])
def tokenise_and_evaluate_infix(x):
    values, ops = [], []
    rank = {"+": 1, "*": 2}

    def reduce():
        b, a = values.pop(), values.pop()
        values.append(a + b if ops.pop() == "+" else a * b)

    for token in ["0", "+", "1", "*", "2", "+", "3"]:
        if token not in rank:
            values.append(x[int(token)])
            continue
        while ops and rank[ops[-1]] >= rank[token]:
            reduce()
        ops.append(token)
    while ops:
        reduce()
    return values[0] ** 2


@program(vector)
def cellular_automaton_steers(x):
    cells = [1, 0, 1, 1]
    total = 0.0
    for _ in range(3):
        total = total * 0.5 + sum([v * v for c, v in zip(cells, x) if c])
        cells = [cells[i - 1] ^ cells[(i + 1) % 4] for i in range(4)]
    return total + x[1]


@program(vector)
def finite_state_machine(x):
    state, total = "idle", 0.0
    for v in x:
        if state == "idle":
            total += v
            state = "up" if v > 0 else "down"
        elif state == "up":
            total *= v
            if v < 0:
                state = "idle"
        else:
            total -= v * v
            state = "up"
    return total

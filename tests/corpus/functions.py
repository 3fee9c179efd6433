"""Calls: lambdas, closures, higher-order functions, every kind of argument."""

import functools
import math
import operator
from functools import partial, reduce

import numpy as np
from corpus.registry import add, program


def vector(rng):
    return (rng.normal(size=4),)


def point(rng):
    return rng.normal(), rng.normal()


def scalar(rng):
    return (rng.normal(),)


def square(x):
    return x * x


def affine(x, scale=2.0, shift=0.0):
    return scale * x + shift


def norm2(*values):
    total = 0.0
    for v in values:
        total += v**2
    return total


def weighted(x, *rest, power=1, **weights):
    y = x**power
    for r in rest:
        y = y * r
    for name, w in weights.items():
        y = y + w * len(name)
    return y


@program(point)
def call_global_helper(x, y):
    return square(x) * square(square(y) + x)


@program(vector)
def call_helper_in_loop(x):
    s = 0.0
    for v in x:
        s = square(s) + affine(v)
    return s


@program(point)
def call_helper_in_branch(x, y):
    if x > y:
        return affine(square(x), shift=y)
    return square(affine(x, y))


@program(point)
def default_and_keyword_arguments(x, y):
    return affine(x) * affine(x, shift=y) + affine(shift=x, x=y, scale=y)


@program(point)
def variadic_definition(x, y):
    return norm2(x, y, x * y) + norm2() + norm2(x)


@program(vector)
def star_call(x):
    args = [x[0], x[1]]
    return norm2(*args) * norm2(*x, 1.0) + affine(*args, shift=x[2])


@program(point)
def double_star_call(x, y):
    options = {"scale": y, "shift": x * y}
    return affine(x, **options) * affine(y, **{"shift": x})


@program(point)
def everything_in_one_signature(x, y):
    return weighted(x, y, 2.0, power=2, a=y, bb=x * y) + weighted(x)


@program(point)
def keyword_only_arguments(x, y):
    def f(a, *, b, c=3.0):
        return a * b + c

    return f(x, b=y) * f(y, c=x, b=2.0)


@program(point)
def positional_only_arguments(x, y):
    def f(a, b, /, c=1.0):
        return a * b * c

    return f(x, y) + f(y, x, c=x)


@program(point)
def default_captured_at_definition(x, y):
    k = x * y

    def f(a, scale=k):
        return a * scale

    k = 100.0
    return f(x) + f(y, k) * x


@program(scalar)
def lambda_expression(x):
    f = lambda t: t * np.sin(t)
    return f(x) + f(f(x))


@program(scalar)
def immediately_called_lambda(x):
    return (lambda t, s=2.0: t**2 * s)(x + 1)


@program(point)
def lambda_captures(x, y):
    scale = x * 2
    f = lambda t: scale * t + y
    return f(f(y))


@program(point)
def nested_def(x, y):
    def inner(t):
        return t * y + x

    return inner(x) * inner(y)


@program(point)
def doubly_nested_def(x, y):
    def outer(a):
        b = a * y

        def inner(c):
            return b * c + x

        return inner(a) + inner(b)

    return outer(x) * outer(2.0)


@program(vector)
def closure_defined_in_loop_and_used_at_once(x):
    s = 1.0
    for v in x:

        def step(t):
            return np.tanh(t * v) + v

        s = step(step(s))
    return s


@program(vector)
def closure_defined_in_branch(x):
    if x[0] > 0:

        def act(t):
            return t * x[1]

    else:

        def act(t):
            return np.sin(t) + x[2]

    return act(x[3]) + act(2.0)


@program(point)
def late_binding(x, y):
    k = x

    def f(t):
        return k * t

    a = f(y)
    k = k * y
    b = f(y)
    return a * b + k


@program(vector, tags=["tricky"])
def captured_loop_variable(x):
    fs = []
    for i in range(3):

        def f(t):
            return t * x[i]

        fs.append(f)
    return fs[0](x[3]) + fs[1](2.0)


@program(vector, tags=["tricky"])
def captured_loop_variable_by_default(x):
    fs = []
    for i, v in enumerate(x):
        fs.append(lambda t, v=v: t * v + i)
    y = 1.0
    for f in fs:
        y = f(y)
    return y


@program(vector, tags=["tricky"])
def captured_variable_changes_between_calls(x):
    total = 0.0
    gain = 1.0

    def amplify(v):
        return v * gain

    for v in x:
        total += amplify(v)
        gain = gain * 0.5 + v
    return total * gain


@program(vector)
def counter_with_nonlocal(x):
    count = 0
    state = x[0]

    def step(v):
        nonlocal count, state
        count += 1
        state = state * v + count

    for v in x[1:]:
        step(v)
    return state * count


def make_adder(a):
    def add_to(b):
        return a * b + a

    return add_to


@program(point)
def function_returning_function(x, y):
    f = make_adder(x)
    g = make_adder(y)
    return f(y) * g(x) + f(f(1.0))


@program(lambda rng: (rng.normal(), rng.normal(), rng.normal()))
def currying(x, y, z):
    curry = lambda a: lambda b: lambda c: a * b + b * c + np.sin(c * a)
    return curry(x)(y)(z) + curry(y)(y)(x)


@program(point)
def stateful_closure_pair(x, y):
    def make_account(balance):
        def deposit(amount):
            nonlocal balance
            balance = balance * 1.1 + amount

        def read():
            return balance**2

        return deposit, read

    deposit, read = make_account(x)
    other, read_other = make_account(y)
    deposit(y)
    deposit(x * y)
    other(1.0)
    return read() * read_other()


def compose(*fs):
    def composed(x):
        for f in fs:
            x = f(x)
        return x

    return composed


@program(scalar)
def compose_functions(x):
    return compose(square, np.sin, affine)(x) + compose()(x)


def twice(f):
    return lambda x: f(f(x))


@program(scalar)
def function_of_function_of_function(x):
    return twice(twice(np.sin))(x) + twice(lambda t: t * x)(2.0)


def apply_n(f, n, x):
    for _ in range(n):
        x = f(x)
    return x


@program(point)
def function_as_argument(x, y):
    return apply_n(lambda t: np.cos(t) * y, 3, x) + apply_n(square, 2, y)


@program(point)
def function_with_function_default(x, y):
    def act(v, f=np.tanh):
        return f(v) * v

    return act(x) + act(y, f=square) + act(y, np.sin)


@program(vector)
def functions_in_list(x):
    fs = [np.sin, square, lambda v: v * x[0], affine]
    y = x[1]
    for f in fs:
        y = f(y)
    return y


@program(vector)
def functions_in_list_zipped_with_data(x):
    layers = [(np.tanh, 2.0), (square, 0.5), (np.sin, x[0])]
    h = x
    for f, scale in layers:
        h = f(h * scale)
    return h.sum()


@program(vector)
def function_chosen_by_data(x):
    s = 0.0
    for v in x:
        f = square if v > 0 else np.cos
        s += f(v) * f(2.0 * v)
    return s


@program(vector)
def map_with_function(x):
    return sum(map(square, x)) * sum(map(lambda a, b: a * b, x, x[1:]))


@program(vector)
def map_to_list(x):
    ys = list(map(np.sin, x))
    first, second, *_ = map(square, x)
    return ys[0] * ys[3] + first * second


@program(vector)
def filter_with_lambda(x):
    pos = list(filter(lambda v: v > 0, x))
    return sum([v**3 for v in pos]) + x[0]


@program(vector)
def reduce_with_lambda(x):
    return reduce(lambda a, b: a * b + np.sin(a), x)


@program(vector)
def reduce_with_initial_value(x):
    return functools.reduce(lambda h, v: np.tanh(h + v), x, x[0] * 2)


@program(lambda rng: ([rng.normal(size=(2, 2)) for _ in range(3)],))
def reduce_matrix_product(ms):
    return reduce(np.matmul, ms).sum() + reduce(operator.mul, [m[0, 0] for m in ms])


@program(vector)
def sorted_with_key(x):
    by_square = sorted(x, key=lambda v: v * v)
    order = sorted(range(4), key=lambda i: -x[i])
    return by_square[0] * by_square[-1] + x[order[0]] ** 2


@program(lambda rng: ([(rng.normal(), rng.normal()) for _ in range(3)],))
def max_min_with_key(pairs):
    high = max(pairs, key=lambda p: p[0])
    low = min(pairs, key=lambda p: p[0] ** 2 + p[1] ** 2)
    return high[0] * high[1] + low[1] ** 2


@program(point)
def partial_positional_and_keyword(x, y):
    f = partial(affine, x)
    g = partial(affine, shift=y, scale=x)
    return f(y, x) * g(y) + f()


@program(vector)
def partial_in_map(x):
    return sum(map(partial(affine, shift=x[0]), x)) ** 2


@program(point)
def operator_module(x, y):
    return operator.add(operator.mul(x, y), operator.neg(x)) * operator.pow(y, 2)


@program(point)
def math_module(x, y):
    a = math.exp(x) + math.sin(y) * math.cos(x)
    b = math.sqrt(1 + x * x) + math.log(2 + y * y) + math.tanh(x * y)
    return a * b + math.pi * math.atan2(y, 3.0) + math.hypot(x, y) + math.pow(a, 2)


@program(point)
def builtin_arithmetic(x, y):
    q, r = divmod(x * x + 7.3, 2.5)
    return abs(x) * pow(y, 3) + r * q * float(y) + round(2.6) * x


@program(point)
def several_results(x, y):
    def both(a, b):
        return a * b, a + b

    p, s = both(x, y)
    q, _ = both(s, p)
    return p * s + q


@program(point)
def results_in_dict(x, y):
    def forward(a):
        h = np.tanh(a * y)
        return {"h": h, "cost": h * h}

    out = forward(x)
    again = forward(out["h"])
    return out["cost"] + again["h"] * 2


@program(vector)
def callback_with_state(x):
    history = []

    def run(values, on_step):
        s = 0.0
        for v in values:
            s = s * 0.5 + v * v
            on_step(s)
        return s

    end = run(x, lambda s: history.append(s * x[0]))
    return end * sum(history)


def with_scale(scale):
    def decorate(f):
        @functools.wraps(f)
        def wrapped(*args, **kwargs):
            return scale * f(*args, **kwargs)

        return wrapped

    return decorate


@with_scale(3.0)
def cubic(x, shift=0.0):
    return (x - shift) ** 3


@program(point)
def user_defined_decorator(x, y):
    return cubic(x) + cubic(y, shift=x)


@program(point)
def decorator_applied_inside(x, y):
    def logged(f):
        def inner(t):
            return f(t) + y

        return inner

    @logged
    def g(t):
        return t * t * x

    return g(x) * g(y)


@program(vector)
def function_ignoring_argument(x):
    def f(a, b):
        return a * 2.0

    return f(x[0] ** 2, x[1]) + f(x[2], None) * x[3]


@program(point)
def function_without_return_value(x, y):
    def nothing(a):
        a = a * 2

    r = nothing(x)
    return x * y if r is None else y


@program(point, tags=["tricky"])
def function_redefined(x, y):
    def f(t):
        return t * x

    a = f(y)

    def f(t):
        return t + y

    return a * f(x)


@program(point, tags=["tricky"])
def inner_function_uses_outer_one_defined_later(x, y):
    def first(t):
        return second(t) * x

    def second(t):
        return np.sin(t * y)

    return first(x) + first(y)


@program(point, tags=["tricky"])
def parameter_shadows_captured_name(x, y):
    def f(x):
        y = x * 2
        return y * x

    return f(y) * x + y


@program(point, tags=["tricky"])
def parameter_rebound_in_callee(x, y):
    def f(a):
        a = a * y
        a += 1
        return a

    z = f(x)
    return z * x


@program(vector, tags=["tricky"])
def closure_over_array_element_read_later(x):
    get = lambda: x[0] * 2
    x = x * x
    return get() * x[1]


@program(point, tags=["tricky"])
def generator_captured_late(x, y):
    k = 2.0
    f = lambda v: v * k
    k = y
    return sum(f(v) for v in (x, y)) * k


@program(point, tags=["tricky"])
def function_attribute_of_closure_result(x, y):
    def outer(a):
        inner = lambda b: a * b
        a = a + y
        return inner

    return outer(x)(y) * 2.0


@program(point, tags=["tricky"])
def conditional_function_result(x, y):
    def maybe(t):
        if t > 0:
            return t * y

    r = maybe(x * x)
    s = maybe(-1.0)
    if s is None:
        return r * x
    return s


def make_polynomial(coefficients):
    def evaluate(x):
        y = 0.0
        for c in coefficients:
            y = y * x + c
        return y

    return evaluate


add("functions.polynomial_closure", make_polynomial([1.0, -2.0, 0.5, 3.0]), scalar)
add("functions.bare_lambda", lambda x, y: np.sin(x) * y + x**2, point)
add(
    "functions.second_of_two_lambdas",
    (lambda x: x * x, lambda x: np.sin(x) * x)[1],
    scalar,
    tags=["tricky"],
)
add("functions.partial_object", lambda x, y: partial(affine, scale=y)(x) * x, point)

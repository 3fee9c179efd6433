"""A function is found in its file however the file is laid out."""

import ast
import linecache

import pytest

from anadrome.frontend.syntax.source import source_of

LAYOUTS = {
    "plain": "def f(x):\n    return x\n",
    "after others": (
        "a = 1\n\n\ndef g(x):\n    return 2 * x\n\n\ndef f(x):\n    return x\n"
    ),
    "one line": "def f(x): return x\nb = 1\n",
    "in a branch": "if True:\n    def f(x):\n        return x\nelse:\n    f = None\n",
    "in the other branch": (
        "if False:\n    f = None\nelse:\n    def f(x):\n        return x\n"
    ),
    "decorated": "def same(g):\n    return g\n@same\n@same\ndef f(x):\n    return x\n",
    "decorated over lines": (
        "def named(*a):\n    return lambda g: g\n"
        "@named(\n    1,\n)\ndef f(x):\n    return x\n"
    ),
    "text at the margin": (
        'def f(x):\n    """Text\nat the margin\n"""\n    return x\n'
    ),
    "comment at the margin": "def f(x):\n    y = x\n# a remark\n    return y\n",
    "brackets at the margin": "def f(\n    x\n):\n    y = (\nx\n)\n    return y\n",
    "continued line": "def f(x):\n    return \\\nx\n",
    "method": (
        "class C:\n    k = 1\n    @staticmethod\n    def f(x):\n"
        "        return x\nf = C.f\n"
    ),
    "inner": (
        "def outer():\n    k = 1\n    def f(x):\n        return x\n"
        "    return f\nf = outer()\n"
    ),
    "lambda": "a = 1\nf = lambda x: x\nb = 2\n",
    "lambda in a call": (
        "def same(n, g):\n    return g\nf = same(\n    1,\n    lambda x: x,\n)\n"
    ),
    "lambda after brackets": "f = [\n    lambda x: -x,\n][0] and (\n  lambda x: x\n)\n",
    "defined twice": "def f(x):\n    return -x\ndef f(x):\n    return x\n",
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_tree_is_that_of_the_function(layout, tmp_path):
    file = tmp_path / "layout.py"
    file.write_text(LAYOUTS[layout])
    linecache.checkcache(str(file))
    space: dict = {}
    exec(compile(LAYOUTS[layout], str(file), "exec"), space)
    function = space["f"]
    found = source_of(function)
    line = function.__code__.co_firstlineno
    first = [
        found.node.lineno,
        *(d.lineno for d in getattr(found.node, "decorator_list", [])),
    ]
    assert min(first) == line
    whole = ast.parse(LAYOUTS[layout])
    same = [
        n
        for n in ast.walk(whole)
        if isinstance(n, type(found.node))
        and ast.dump(n, include_attributes=True)
        == ast.dump(found.node, include_attributes=True)
    ]
    assert len(same) == 1

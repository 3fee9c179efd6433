"""`source` and `show`."""

import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import anadrome as ad

X = np.array([0.3, -0.7, 1.2])


def recurrent(x, w):
    h = 0.0
    for t in range(3):
        if t > 0:
            h = np.tanh(x[t] * w + h)
    return h


def test_source_is_python_that_runs():
    text = ad.source(ad.grad(recurrent, 1), X, 0.5)
    assert text.startswith("def grad_recurrent(x, w")
    assert "# Grad of: h = np.tanh(x[t] * w + h)" in text
    space = {"np": np}
    exec(text, space)
    assert space["grad_recurrent"](X, 0.5) == ad.grad(recurrent, 1)(X, 0.5)


@pytest.mark.parametrize(
    "make",
    [
        lambda f: f,
        ad.grad,
        ad.value_and_grad,
        ad.hvp,
        lambda f: ad.grad(ad.grad(f, 1), 1),
    ],
)
def test_every_derivative_can_be_shown(make):
    made = make(recurrent)
    assert "def " in ad.source(made, X, 0.5)
    assert "graph " in ad.show(made, X, 0.5)


def test_source_without_arguments():
    assert ad.source(ad.grad(lambda x, y: np.sum(x * y))).startswith("def grad_f(x, y)")


def test_pictures_stand_alone(tmp_path):
    picture = ad.show(ad.grad(recurrent, 1), X, 0.5, format="html")
    page = str(picture)
    assert page.startswith("<!doctype html>")
    assert "src=" not in page
    assert picture._repr_html_() in page
    drawing = page[page.index("<svg") : page.index("</svg>") + len("</svg>")]
    root = ElementTree.fromstring(drawing)
    names = "{http://www.w3.org/2000/svg}"
    texts = [t.text for t in root.iter(f"{names}text")]
    assert any("tanh" in t for t in texts)
    assert len(list(root.iter(f"{names}path"))) > 10
    saved = picture.save(tmp_path / "graph.html")
    assert saved.read_text(encoding="utf-8") == page


def test_what_cannot_be_shown_is_refused():
    with pytest.raises(ad.ArgumentError, match="format"):
        ad.show(recurrent, X, 0.5, format="pdf")
    with pytest.raises(ad.ArgumentError, match="not a function"):
        ad.show(3.0, X)


def test_importing_does_not_load_the_compiler():
    script = (
        "import sys, anadrome; "
        "print([m for m in sys.modules if m.startswith(('scipy', 'llvmlite', "
        "'anadrome.frontend', 'anadrome.transform', 'anadrome.primitives.numpy.elementwise'))])"  # noqa: E501
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_everything_promised_is_exported():
    for name in ad.__all__:
        assert getattr(ad, name).__doc__, name

import io

import pytest

from anadrome.train import Progress
from anadrome.train.progress import format_seconds


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


class Terminal(io.StringIO):
    def isatty(self):
        return True


def run(stream, steps=40, total=100, interval=10.0, seconds=1.0, start=0):
    clock = Clock()
    with Progress(
        total, start=start, stream=stream, interval=interval, clock=clock
    ) as progress:
        for step in range(start + 1, start + steps + 1):
            clock.now += seconds
            progress.update(step, loss=2.0, tokens=500)
    return progress


def test_plain_lines_come_at_intervals_and_at_the_end():
    stream = io.StringIO()
    run(stream, steps=25)
    assert stream.getvalue().splitlines() == [
        "step 10/100  loss 2.0000  500 tokens/s  1:30 left",
        "step 20/100  loss 2.0000  500 tokens/s  1:20 left",
        "step 25/100  loss 2.0000  500 tokens/s  1:15 left",
    ]


def test_the_end_is_said_once():
    stream = io.StringIO()
    run(stream, steps=10, total=10)
    assert stream.getvalue() == "step 10/10  loss 2.0000  500 tokens/s  done\n"


def test_speed_counts_from_where_training_went_on():
    progress = run(io.StringIO(), start=90, steps=5, seconds=0.5)
    assert progress.speed() == pytest.approx((2.0, 1000.0))


def test_loss_is_smoothed_and_nan_is_shown():
    progress = Progress(10, stream=io.StringIO(), smoothing=0.5)
    progress.update(1, loss=4.0)
    progress.update(2, loss=2.0)
    assert progress.loss == 3.0
    progress.update(3, loss=float("nan"))
    assert "loss nan" in progress.text()
    progress.update(4, loss=1.0)
    assert progress.loss == 1.0


def test_messages_are_lines():
    stream = io.StringIO()
    with Progress(10, stream=stream) as progress:
        progress.message("BLEU 85.3")
    assert stream.getvalue() == "BLEU 85.3\n"


def test_a_terminal_gets_a_live_line(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    stream = Terminal()
    clock = Clock()
    with Progress(50, stream=stream, clock=clock) as progress:
        clock.now += 2
        progress.update(50, loss=1.25, tokens=30)
        progress.message("[valid] 3")
    shown = stream.getvalue()
    assert "50/50" in shown
    assert "loss 1.2500" in shown
    assert "[valid] 3" in shown
    assert "\x1b[" in shown


def test_without_rich_a_terminal_gets_plain_lines(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "rich.console", None)
    stream = Terminal()
    run(stream, steps=10, total=10)
    assert stream.getvalue().startswith("step 10/10")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (59.4, "59 s"), (60, "1:00"), (3599, "59:59"), (7389, "2:03:09")],
)
def test_format_seconds(seconds, text):
    assert format_seconds(seconds) == text


def test_the_first_update_says_nothing_about_the_speed():
    clock = Clock()
    with Progress(100, stream=io.StringIO(), clock=clock) as progress:
        clock.now += 60.0  # compiling
        progress.update(1, loss=2.0, tokens=500)
        assert progress.speed() == (0.0, 0.0)
        clock.now += 1.0
        progress.update(2, loss=2.0, tokens=500)
        assert progress.speed() == pytest.approx((1.0, 500.0))

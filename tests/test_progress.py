import io

from textgrain.progress import ProgressPrinter


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def test_a_terminal_gets_one_line_that_is_redrawn():
    stream, clock = io.StringIO(), Clock()
    show = ProgressPrinter(stream, terminal=True, clock=clock)
    for second in range(4):
        clock.now = float(second)
        show("counting", second * 10_000_000, 40_000_000, "bytes", [("loss", 1.5)])
    show("counting", 40_000_000, 40_000_000, "bytes", [])
    text = stream.getvalue()
    assert text.count("\n") == 1
    assert text.count("\r") == 4
    assert "75%  30.0 MB, 10.0 MB/s" in text
    assert "loss 1.5" in text
    assert "0:01 left" in text


def test_elsewhere_a_plain_line_every_few_seconds():
    stream, clock = io.StringIO(), Clock()
    show = ProgressPrinter(stream, terminal=False, clock=clock)
    for tenth in range(121):
        clock.now = tenth / 10
        show("merging", tenth, 120, "merges", [])
    lines = stream.getvalue().splitlines()
    assert len(lines) == 4
    assert "\r" not in stream.getvalue()
    assert lines[-1].startswith("merging           100%  120 merges, 10 merges/s  0:12")


def test_short_stages_are_not_shown():
    stream, clock = io.StringIO(), Clock()
    for terminal in (True, False):
        show = ProgressPrinter(stream, terminal=terminal, clock=clock)
        show("a", 0, 10, "bytes", [])
        clock.now += 0.1
        show("a", 10, 10, "bytes", [])
        show("b", 0, None, "bytes", [])
        show.close()
    assert stream.getvalue() == ""


def test_an_unknown_total_shows_amount_and_rate():
    stream, clock = io.StringIO(), Clock()
    show = ProgressPrinter(stream, terminal=False, clock=clock)
    show("reading", 0, None, "words", [])
    clock.now = 10.0
    show("reading", 20_000_000, None, "words", [])
    assert stream.getvalue() == "reading           20.00 M words, 2.00 M words/s\n"

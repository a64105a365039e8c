"""Draws timelines for a terminal: a screen's runs as thin lines, its indicator as a bar under its titles."""

import os
import shutil
import sys

from verdict import intervals

NAME = 22


class Style:
    """Colours where a terminal shows them, plain text elsewhere."""

    def __init__(self, stream):
        self.colours = stream.isatty() and not os.environ.get("NO_COLOR")
        self.width = min(shutil.get_terminal_size((132, 24)).columns, 200) - 1

    def paint(self, code, text):
        return f"\033[{code}m{text}\033[0m" if self.colours else text


class Chart:
    def __init__(self, until, style=None):
        self.style = style or Style(sys.stdout)
        self.columns = self.style.width - NAME
        self.until = until

    def column(self, at):
        return min(self.columns - 1, max(0, round(at / self.until * (self.columns - 1))))

    def row(self, name, cells, code=None):
        text = "".join(cells).rstrip()
        print(f"{name[: NAME - 1]:<{NAME}}" + (self.style.paint(code, text) if code else text))

    def axis(self):
        cells = [" "] * self.columns
        for second in range(0, int(self.until) + 1, 10):
            label = f"{second} s"
            start = min(self.column(second), self.columns - len(label))
            cells[start : start + len(label)] = label
        self.row("", cells, "2")

    def run(self, spans, mark):
        """A run's lines: ``spans`` as (from, to, "─" or "·"), dots where its worker was silent for too long.

        ``mark`` says how it ended: ``┤`` by its worker, ``!`` too late, ``?`` lost after a SIGKILL at ``✗``.
        """
        cells = [" "] * self.columns
        for since, until, stroke in spans:
            first, last = self.column(since), self.column(until)
            cells[first : last + 1] = stroke * (last - first + 1)
            if stroke == "·" and cells[first - 1] == "─":
                cells[first - 1] = "✗" if mark == "?" else "─"
        cells[self.column(spans[-1][1])] = mark
        if self.column(spans[0][0]) < self.column(spans[-1][1]):
            cells[self.column(spans[0][0])] = "├"
        return cells

    def screen(self, name, log_rows, timeline):
        """The runs of each task, then the indicator: a bar where it was pending, its titles above it."""
        print(self.style.paint("1", name))
        for task, rows in log_rows:
            merged = [" "] * self.columns
            for cells in rows:
                merged = [new if new != " " else old for old, new in zip(merged, cells)]
            self.row("  " + task, merged, "2")
        titles, bar = [" "] * self.columns, ["┄"] * self.columns
        spans = intervals(timeline, self.until)
        starts = [self.column(since) for since, _, _ in spans] + [self.columns]
        for number, (since, until, title) in enumerate(spans):
            first, last = starts[number], max(starts[number] + 1, self.column(until))
            room = max(1, starts[number + 1] - first - 1)
            text = title if len(title) <= room else title[: room - 1] + "…" if room > 3 else ""
            titles[first : first + len(text)] = text
            follows = number > 0 and spans[number - 1][1] == since
            shade = "▓" if follows and "█" in bar[first - 1] else "█"
            bar[first:last] = [self.style.paint("36", shade)] * (last - first)
        self.row("", titles)
        print(f"{'  shown':<{NAME}}{''.join(bar)}\n")

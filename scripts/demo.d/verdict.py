"""Compares what the readers saw with what the model says, and with the timing rules themselves."""

import bisect

#: Seconds that an observed edge may be off, on top of what the machine was seen to be late around it.
EDGE = 0.15
#: Progress alone is sent at most ten times a second, so a stream may be that much behind with it.
PROGRESS = 0.11


def intervals(timeline, until):
    """[(from, to, title)] of the pending times; a change of title begins a new one."""
    result, title, since = [], None, None
    for at, state in [*timeline, (until, None)]:
        shown = state.title if state is not None and state.isPending else None
        if shown == title:
            continue
        if title is not None:
            result.append((since, at, title))
        title, since = shown, at
    return result


class Verdict:
    """Collects violations; ``lateness(second)`` tells how late the machine was around then."""

    def __init__(self, lateness, until):
        self.lateness = lateness
        self.until = until
        self.violations = []
        self.checks = 0

    def check(self, holds, text):
        self.checks += 1
        if not holds:
            self.violations.append(text)

    def tolerance(self, at):
        return EDGE + self.lateness(at)

    def fits(self, found, expected):
        """The same titles in the same order, every edge in its place."""
        return len(found) == len(expected) and all(
            one[2] == two[2] and abs(one[0] - two[0]) <= self.tolerance(two[0])
            and abs(one[1] - two[1]) <= self.tolerance(two[1]) for one, two in zip(found, expected))

    def stream(self, screen, observed, candidates):
        """The stream's timeline against the model's; returns the candidate timeline that it fits best.

        There are several candidates because a change happened somewhere between its request and its answer.
        """
        found = intervals(observed, self.until)
        fitting = [timeline for timeline in candidates if self.fits(found, intervals(timeline, self.until))]
        expected = (fitting or candidates)[0]
        self.check(fitting, f"{screen}: the stream showed {rounded(found)}, "
                            f"the rules say {rounded(intervals(expected, self.until))}")
        states = [state for _, state in observed]
        for one, two in zip(states, states[1:]):
            self.check(one != two, f"{screen}: the state {one} was sent twice")
        for at, state in observed:
            self.was_true(f"{screen}: the stream", at, state, expected, PROGRESS)
        self.settled(f"{screen}: the stream", observed, expected, 2 * PROGRESS)
        return expected

    def poll(self, screen, observed, expected, label, delay=0.0):
        """Each answer was the truth when it was given, and no lasting state was missed."""
        for at, state in observed:
            self.was_true(f"{screen}: the {label}", at, state, expected, 0)
        self.settled(f"{screen}: the {label}", observed, expected, delay)

    def was_true(self, who, at, state, expected, behind):
        """``state`` was the model's at some moment around ``at``."""
        margin = self.tolerance(at)
        times = [moment for moment, _ in expected]
        first = max(0, bisect.bisect_right(times, at - margin - behind) - 1)
        last = bisect.bisect_right(times, at + margin)
        around = [candidate for _, candidate in expected[first:last]]
        self.check(state in around or self.held_fraction(state, around),
                   f"{who} showed {state} at {at:.2f} s; around then the rules say {around}")

    @staticmethod
    def held_fraction(state, around):
        """While an indicator lingers the fraction of its last moment stays; done counts as all of it."""
        return state.isPending and state.runCount == 0 and state.fraction == 1 and any(
            (one.isPending, one.title, one.runCount) == (True, state.title, 0) for one in around)

    def settled(self, who, observed, expected, delay):
        """Where the model's state stays for long enough, the reader has it."""
        for (since, state), (until, _) in zip(expected, [*expected[1:], (self.until, None)]):
            moment = until - self.tolerance(until) - 0.05
            if since + delay + self.tolerance(since) + 0.05 > moment:
                continue
            before = [seen for at, seen in observed if at <= moment]
            self.check(before and (before[-1] == state or self.held_fraction(before[-1], [state])),
                       f"{who} has {before[-1] if before else None} at {moment:.2f} s in place of {state}")

    def timing(self, screen, observed, minimum):
        """Shown at least its minimum, and never a gap so short that it would flicker."""
        shown = [(since, until) for since, until in pending_times(observed, self.until)]
        for since, until in shown:
            self.check(until - since >= minimum - self.tolerance(until),
                       f"{screen}: pending for {until - since:.2f} s only, at {since:.2f} s")


def pending_times(timeline, until):
    result, since = [], None
    for at, state in [*timeline, (until, None)]:
        pending = state is not None and state.isPending
        if pending and since is None:
            since = at
        elif not pending and since is not None:
            result.append((since, at))
            since = None
    return result


def rounded(found):
    return [(round(since, 2), round(until, 2), title) for since, until, title in found]

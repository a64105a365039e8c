"""What happens in the demo: an hour of a messenger's background work, a second for each minute.

A worker is a list of steps (second, method, task, run, body). All numbers keep 0.1 s and more away from the
deadlines that they could race with, so that a busy machine tells the same story.
"""

#: Seconds that the story lasts, with the last indicator gone.
LENGTH = 58.0
#: When the worker of that name gets SIGKILL.
DEATHS = {"importer": 26.0}

WAITING = {"title": "Waiting for network…", "priority": 400, "ttl": 5}
CONNECTING = {"title": "Connecting…", "priority": 300, "ttl": 5}
DONE = {"state": "succeeded"}


def long_run(task, run, start, end, total, how):
    """A run that reports ``total`` units of progress, evenly, and then ends."""
    steps = []
    for i in range(total):
        at = start + (end - start) * i / total
        steps.append((at, "PUT", task, run, {**how, "progress": {"completed": i, "total": total}}))
    finished = {"state": "succeeded", "progress": {"completed": total, "total": total}}
    steps.append((end, "PUT", task, run, {**how, **finished}))
    return steps


def short_run(task, run, start, end, how=None, end_state="succeeded"):
    return [(start, "PUT", task, run, {"ttl": 5, **(how or {})}), (end, "PUT", task, run, {"state": end_state})]


def workers():
    """Each worker's name and its steps; each is a process of its own."""
    updating = {"title": "Updating…", "priority": 200, "ttl": 5}
    media = {"title": "Downloading media…", "priority": 100, "ttl": 5}
    importing = {"title": "Importing…", "priority": 100, "ttl": 5}
    stories = {
        "connection": [
            # Offline, connecting, connected; later the line drops for a moment, once too briefly to be seen.
            (1.0, "PUT", "network.link", "n1", WAITING), (3.0, "PUT", "network.link", "n1", CONNECTING),
            (5.2, "PUT", "network.link", "n1", DONE),
            *short_run("network.link", "n2", 28.0, 29.5, CONNECTING),
            *short_run("network.link", "n3", 57.0, 57.1, CONNECTING),
        ],
        "sync": [
            *long_run("chats.sync", "s1", 4.5, 12.0, 20, updating),
            # Too short to be seen; then shown for its minimum; then twice in one piece.
            *short_run("chats.receipts", "r1", 18.0, 18.15),
            *short_run("chats.receipts", "r2", 19.0, 19.65),
            *short_run("chats.receipts", "r3", 21.0, 21.42),
            *short_run("chats.receipts", "r4", 21.65, 22.4),
            *long_run("chats.sync", "s2", 50.0, 55.5, 25, updating),
        ],
        "media": [
            # The second task on the same screen: it must still be pending when the first has ended.
            *long_run("chats.media", "m1", 8.0, 14.5, 13, media),
            # Someone else asks it to stop at 45.2; it sees that in its next answer.
            *long_run("chats.media", "m2", 43.0, 49.0, 12, media),
            # Joins late with nothing done: the bar must not fall.
            *long_run("chats.media", "m3", 52.0, 55.0, 3, media),
        ],
        "importer": [
            # Killed at 26.0, so it never renews again: lost six seconds after its last word.
            (24.0, "PUT", "chats.import", "i1", {**importing, "progress": {"completed": 3, "total": 10}}),
            (25.0, "PUT", "chats.import", "i1", {**importing, "progress": {"completed": 4, "total": 10}}),
            (27.0, "PUT", "chats.import", "i1", {**importing, "progress": {"completed": 9, "total": 10}}),
            (28.0, "PUT", "chats.import", "i1", DONE),
        ],
        "backup": [
            # Hangs without renewing, is lost, and reports its end two seconds too late.
            (33.0, "PUT", "chats.backup", "b1", {"title": "Backing up…", "priority": 100, "ttl": 5}),
            (41.0, "PUT", "chats.backup", "b1", DONE),
            # Work that nobody should see.
            *short_run("chats.index", "quiet", 15.2, 16.8, {"isSilent": True}),
        ],
        "search": [
            *short_run("search.query", "q1", 2.0, 2.15), *short_run("search.query", "q2", 6.0, 6.9),
            *short_run("search.query", "q3", 10.0, 10.45), *short_run("search.query", "q4", 10.6, 11.8),
            *[step for i in range(6)
              for step in short_run("search.query", f"t{i}", 35 + i * 0.4, 35.15 + i * 0.4)],
            *short_run("search.query", "q7", 48.0, 50.0, end_state="failed"),
        ],
        "search-contacts": [
            *short_run("search.contacts", "c1", 26.0, 27.2), *short_run("search.contacts", "c2", 49.0, 49.4),
        ],
        "search-messages": short_run("search.messages", "m1", 26.6, 28.3),
        "calls": [
            # Lost, then revived by a renewal.
            (12.0, "PUT", "calls.history", "h1", {"ttl": 5}), (20.0, "PATCH", "calls.history", "h1", {}),
            (23.0, "PUT", "calls.history", "h1", DONE),
            *long_run("calls.sync", "c1", 42.0, 46.5, 9, {"ttl": 5, "title": "מוריד…"}),
        ],
        "user": [(45.2, "PATCH", "chats.media", "m2", {"cancelRequested": True})],
    }
    return {name: sorted(steps, key=lambda step: step[0]) for name, steps in stories.items()}

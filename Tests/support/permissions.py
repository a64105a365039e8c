"""Who may do what, said once more: slow, obvious, and sharing nothing with the daemon."""

import hashlib
import json
import pathlib
import secrets

from daemon import Daemon, temporary_directory
from suite import eventually

PERMISSIONS = ("tasks:write", "tasks:read", "tasks:cancel", "screens:read", "screens:write", "admin")
RUN = {"title": "Working…"}
#: What is asked, and each permission that is enough for it (a tuple: all of these), in a scope of one's own.
REQUESTS = (
    ("PUT, DELETE a run; POST one", "PUT", "{scope}/tasks/a.b/runs/1", RUN, [("tasks:write",)]),
    ("PATCH a run", "PATCH", "{scope}/tasks/a.b/runs/1", RUN, [("tasks:write",)]),
    ("PATCH `cancelRequested`", "PATCH", "{scope}/tasks/a.b/runs/1", {"cancelRequested": True}, [("tasks:cancel",)]),
    ("PATCH `cancelRequested` and more", "PATCH", "{scope}/tasks/a.b/runs/1", {"cancelRequested": True, **RUN},
     [("tasks:write", "tasks:cancel")]),
    ("GET a run, a task's runs, the list", "GET", "{scope}/runs", None, [("tasks:read",)]),
    ("GET screens: JSON, stream, picture", "GET", "{scope}/screens/a", None, [("screens:read",)]),
    ("PUT, DELETE a configuration", "PUT", "/v1/screens/a/configuration", {}, [("screens:write",)]),
    ("GET a configuration", "GET", "/v1/screens/a/configuration", None, [("screens:read",), ("screens:write",)]),
    ("GET `/metrics`", "GET", "/metrics", None, [("admin",)]),
)


def table():
    """The matrix as Markdown; a number says that all with it are needed together."""
    lines = ["| Request | " + " | ".join(f"`{one}`" for one in PERMISSIONS) + " |", "|---|" + ":-:|" * len(PERMISSIONS)]
    for label, _, _, _, enough in REQUESTS:
        cells = ["both" if any(len(all_of) > 1 and one in all_of for all_of in enough)
                 else "✓" if (one,) in enough else "" for one in PERMISSIONS]
        lines.append(f"| {label} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


class Key:
    """A token with its entry; grants are dictionaries as the file has them."""

    def __init__(self, name, *grants):
        self.name = name
        self.secret = secrets.token_urlsafe(32)
        self.grants = list(grants)
        self.fields = {"Authorization": f"Bearer {self.secret}"}

    @property
    def entry(self):
        return {"id": self.name, "sha256": hashlib.sha256(self.secret.encode()).hexdigest(), "grants": self.grants}

    def may(self, permission, scope, task=None):
        """By the rules in words: label by label, and a list of tasks counts where tasks are concerned."""
        return any(permission in grant["allow"] and covers(grant["scope"], scope)
                   and (not permission.startswith("tasks:") or "tasks" not in grant
                        or task is not None and any(matches(one, task) for one in grant["tasks"]))
                   for grant in self.grants)


def covers(pattern, scope):
    if pattern == ">":
        return True
    if pattern.endswith(".>"):
        labels = pattern[:-2].split(".")
        return scope.split(".")[:len(labels)] == labels
    return pattern == scope


def matches(pattern, task):
    return task.startswith(pattern[:-1]) if pattern.endswith("*") else task == pattern


def grant(*allow, scope=">", **more):
    return {"allow": list(allow), "scope": scope, **more}


def file_of(*keys):
    return json.dumps({"keys": [key.entry for key in keys]})


class Guarded(Daemon):
    """A daemon with a file of tokens."""

    def __init__(self, *keys, flags=(), sqlite=False, **options):
        directory = temporary_directory()
        path = pathlib.Path(directory.name, "tokens.json")
        path.write_text(file_of(*keys), encoding="utf-8")
        if sqlite:
            options["journal"] = f"sqlite:{directory.name}/journal.db"
        super().__init__("--tokens", path, *flags, directory=directory, **options)

    def give(self, *keys, wait_for=None, status=None):
        """Other keys from now on; returns when ``wait_for`` is known, or answered with ``status``."""
        self.write("tokens.json", file_of(*keys))
        self.hang_up()
        if wait_for:
            eventually(lambda: asked(self, wait_for, "GET", "/v1/scopes/acme/screens/a").status in
                       ((status,) if status else (200, 403)))


def asked(daemon, key, method, target, body=None, **fields):
    """The answer to a request with a key's token; without one for None."""
    return daemon.ask(method, target, {**(key.fields if key else {}), **fields}, body)

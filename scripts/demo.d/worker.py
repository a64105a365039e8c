#!/usr/bin/env python3
"""One worker process: plays its steps on time, and logs each with the time before and after the answer."""

import json
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Tests/support"))
import story  # noqa: E402
from wire import Connection  # noqa: E402


def main():
    name, port, epoch, log_path = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.argv[4]
    with open(log_path, "a", encoding="utf-8", buffering=1) as log:

        def declare(method, task, run, body):
            sent = time.monotonic()
            with Connection(("127.0.0.1", port)) as connection:
                answer = connection.ask(method, f"/v1/tasks/{task}/runs/{run}", body=body)
            entry = {"worker": name, "sent": sent - epoch, "answered": time.monotonic() - epoch,
                     "method": method, "task": task, "run": run, "body": body, "status": answer.status}
            log.write(json.dumps(entry) + "\n")
            return answer.json

        stopped = set()
        for at, method, task, run, body in story.workers()[name]:
            if run in stopped:
                continue
            time.sleep(max(0, epoch + at - time.monotonic()))
            answer = declare(method, task, run, body)
            if method == "PUT" and answer["state"] == "running" and answer["cancelRequested"]:
                declare("PUT", task, run, {"state": "canceled"})
                stopped.add(run)


if __name__ == "__main__":
    main()

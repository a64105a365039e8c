"""Serves pages of an origin of their own, as those of an app are: the service is elsewhere."""

import http.server
import threading


class Pages:
    """A server of HTML on a free loopback port; each page says nothing but its body."""

    HEAD = ("<!DOCTYPE html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>"
            "<link rel=icon href='data:,'><title>Test</title>")

    def __init__(self):
        self.bodies = {}
        pages = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                text, policy = pages.bodies.get(self.path, (None, None))
                self.send_response(200 if text else 404)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                if policy:
                    self.send_header("Content-Security-Policy", policy)
                self.end_headers()
                self.wfile.write((text or "").encode())

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.origin = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def add(self, path, body, policy=None):
        """A page at ``path``; returns its address."""
        self.bodies[path] = (self.HEAD + body, policy)
        return self.origin + path

"""A server that responds as a test tells it, and a clock that a test turns."""

from __future__ import annotations

import json
import ssl
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from unittest import TestCase

from petstore import PetstoreClient, Runtime

# Each client would load the certificates of all authorities, which takes most of the time of these tests. None uses TLS.
ssl.SSLContext.load_verify_locations = lambda *_, **__: None  # type: ignore[method-assign]


@dataclass
class ScriptedResponse:
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: Any = ()
    """A text is sent as it is, anything else as JSON."""
    instead: str | None = None
    """In place of a response: "broken", "half" of it, or "silence"."""


@dataclass
class Received:
    method: str
    path: str
    headers: Any
    body: str
    connection: int = 0
    """The number of its connection, from 1."""


class ScriptedService:
    """Responds one after the other, and with an empty page from then on."""

    def __init__(self) -> None:
        self.responses: list[ScriptedResponse] = []
        self.received: list[Received] = []
        self.respond = self._next
        self.connections = 0
        self._over = threading.Event()
        self._arrival = threading.Condition()
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"  # a client may send several requests over one connection
            disable_nagle_algorithm = True  # the body follows its headers at once, not after a delayed ACK

            def setup(self) -> None:
                super().setup()
                with service._arrival:
                    service.connections += 1
                    self.connection_number = service.connections

            def handle_any(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                request = Received(self.command, self.path, self.headers, body.decode(), self.connection_number)
                with service._arrival:
                    service.received.append(request)
                    service._arrival.notify_all()
                response = service.respond(request)
                if response.instead == "silence":
                    service._over.wait()
                if response.instead in ("silence", "broken", "half"):
                    self.close_connection = True
                if response.instead in ("silence", "broken"):
                    return
                text = response.body if isinstance(response.body, str) else json.dumps(response.body)
                self.send_response(response.status)
                for name, value in response.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", "1000" if response.instead == "half" else str(len(text.encode())))
                self.end_headers()
                if response.status != 304:
                    self.wfile.write(text.encode())

            do_GET = do_POST = do_PATCH = do_DELETE = handle_any

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.handle_error = lambda *_: None  # clients that hang up are a part of the tests
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def _next(self, _: Received) -> ScriptedResponse:
        return self.responses.pop(0) if self.responses else ScriptedResponse()

    def wait_for(self, requests: int) -> None:
        """A client that has given up may be ahead of the service."""
        with self._arrival:
            self._arrival.wait_for(lambda: len(self.received) >= requests)

    def reset(self) -> None:
        self.responses, self.received, self.connections = [], [], 0
        self.respond = self._next

    def stop(self) -> None:
        self._over.set()
        self._server.shutdown()
        self._server.server_close()


REFUSING_URL = "http://127.0.0.1:9/v1"
"""The port of the discard protocol, which nothing serves any more."""


class SimulatedTime:
    """The client sleeps no real time."""

    def __init__(self, test: TestCase) -> None:
        self._test = test
        self.seconds = 1_767_225_600.0  # 1 January 2026
        self.random = 0.5
        self.waits: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.seconds += seconds

    def client(self, url: str, **options: Any) -> PetstoreClient:
        runtime = Runtime(
            now=lambda: self.seconds,
            clock=lambda: self.seconds,
            sleep=self.sleep,
            random=lambda: self.random,
        )
        client = PetstoreClient(url=url, **{"api_key": "petstore_x", "runtime": runtime, **options})
        self._test.addCleanup(client.close)
        return client

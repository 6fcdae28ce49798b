"""Receives webhooks and verifies their signatures.

    pip install ./clients/python
    WEBHOOK_SECRET=whsec_... python3 clients/examples/python/webhook_receiver.py
"""

import os
import re
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

try:
    from petstore import WebhookVerificationError, verify_webhook
except ImportError as error:
    sys.exit(
        f"{error}: install the client with python3 -m venv .venv && . .venv/bin/activate && pip install ./clients/python"
    )

SECRET = os.environ.get("WEBHOOK_SECRET", "").strip()  # from the response of POST /v1/webhooks
seen = set()  # in production: a table with a unique index


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            event = verify_webhook(body, self.headers, SECRET)  # also rejects messages older than 5 minutes
        except WebhookVerificationError as error:
            print(f"Refused a message: {error}", file=sys.stderr, flush=True)
            self.respond(400)
            return
        message = self.headers["webhook-id"]
        if message not in seen:
            print(event.type, event.data, flush=True)
        seen.add(message)
        self.respond(204)  # respond quickly: the service waits at most 10 s

    def respond(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    if not re.fullmatch(r"whsec_[A-Za-z0-9+/]+=*", SECRET):
        sys.exit("Set WEBHOOK_SECRET to the `secret` (whsec_…) in the response of POST /v1/webhooks.")
    try:
        server = HTTPServer(("127.0.0.1", int(os.environ.get("PORT", "4000"))), Receiver)
    except (OSError, OverflowError, ValueError) as error:
        sys.exit(f"Cannot listen: {error}")
    print(f"Listening at http://127.0.0.1:{server.server_port}/", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass

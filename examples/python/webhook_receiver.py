"""Receives webhooks and verifies their signatures.

    pip install standardwebhooks
    WEBHOOK_SECRET=whsec_... python3 examples/python/webhook_receiver.py
"""

import json
import os
from http.server import BaseHTTPRequestHandler, HTTPServer

from standardwebhooks import Webhook, WebhookVerificationError

webhook = Webhook(os.environ["WEBHOOK_SECRET"])  # the secret that POST /v1/webhooks has shown
seen = set()  # in a real receiver a table with a unique index


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        headers = {name.lower(): value for name, value in self.headers.items()}
        try:
            event = webhook.verify(body, headers)  # also refuses what is older than 5 minutes
        except WebhookVerificationError:
            self.respond(400)
            return
        if headers["webhook-id"] not in seen:
            print(event["type"], json.dumps(event["data"]), flush=True)
        seen.add(headers["webhook-id"])
        self.respond(204)  # at once: the service waits for 10 s at most

    def respond(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = HTTPServer(("127.0.0.1", int(os.environ.get("PORT", "4000"))), Receiver)
    print("Listening at", server.server_address, flush=True)
    server.serve_forever()

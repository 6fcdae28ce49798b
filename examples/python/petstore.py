"""A small client of the pet store, with nothing but Python's standard library (3.9 or newer).

    export PETSTORE_URL=http://127.0.0.1:3000/v1 PETSTORE_KEY=petstore_...
    python3 petstore.py list
    python3 petstore.py add Rex 7

Identifiers are signed 64-bit integers; Python's own are exact.
"""

import argparse
import json
import os
import random
import re
import sys
import time
import uuid
from email.utils import parsedate_to_datetime
from urllib.error import HTTPError
from urllib.parse import urlencode, urlsplit
from urllib.request import Request, urlopen

TIME_OUT = 10  # seconds for one request
TRIES = 5  # requests at most, the first one included
FIRST_WAIT = 0.5  # seconds: upper end of the first random wait; each further one doubles it
LONGEST_WAIT = 30
REPEATABLE = (409, 429, 502, 503, 504)  # worth another try; 409: the first one is still being worked on
PATIENCE = 120  # a longer wait, such as that for the next day's quota, is not worth it


class PetstoreError(Exception):
    """A refusal. Decide by `code`, and quote the request id when you ask for help."""

    def __init__(self, answer):
        body = _error_body(answer.read())
        self.status = answer.status
        self.code = body.get("code", "unknown")
        self.request_id = answer.headers.get("X-Request-Id")
        message = body.get("message", answer.reason)
        super().__init__(f"{self.status} {self.code}: {message} (request {self.request_id})")


class Petstore:
    """Lists and adds animals, and backs off when it is told to. What it cannot do raises a PetstoreError."""

    def __init__(self, url, key, sleep=time.sleep, jitter=random.random):
        self.url = url
        self._key = key
        self._sleep = sleep
        self._jitter = jitter

    def pets(self, status=None, limit=100):
        """Every animal once, in ascending order of its id."""
        query = {"limit": limit, **({"status": status} if status else {})}
        page = f"{self.url}/pets?{urlencode(query)}"
        while page:
            with self._request("GET", page) as answer:
                yield from json.load(answer)
                page = _next_page(answer.headers.get("Link", ""))

    def add_pet(self, name, category_id, status="available"):
        """Adds it once, however often that has to be tried: every try has the same Idempotency-Key."""
        pet = {"name": name, "categoryId": category_id, "status": status}
        once = {"Idempotency-Key": str(uuid.uuid4())}
        with self._request("POST", f"{self.url}/pets", json.dumps(pet).encode(), once) as answer:
            return json.load(answer)

    def _request(self, method, url, body=None, headers=None):
        self._keep_key_at_home(url)
        for retry in range(TRIES):
            is_last = retry + 1 == TRIES
            try:
                return self._send(method, url, body, headers)
            except HTTPError as answer:
                wait = self._wait_before(retry, answer.headers.get("Retry-After"))
                if is_last or wait > PATIENCE or answer.status not in REPEATABLE:
                    raise PetstoreError(answer) from None
                answer.close()
            except OSError:  # no answer: nobody knows whether the request arrived
                if is_last:
                    raise
                wait = self._wait_before(retry, None)
            self._sleep(wait)
        raise AssertionError("the last try returns or raises")

    def _send(self, method, url, body, headers=None):
        request = Request(url, body, {"Content-Type": "application/json", **(headers or {})}, method=method)
        # urllib would hand an ordinary header on to wherever it is redirected.
        request.add_unredirected_header("Authorization", f"Bearer {self._key}")
        return urlopen(request, timeout=TIME_OUT)

    def _wait_before(self, retry, retry_after):
        """What Retry-After says comes first. Without it, and on top of it when others were quicker after that wait,
        the wait is random below a bound that doubles ("full jitter"), so that clients that were refused together do
        not come back together. In seconds; `retry` is 0 for the first one."""
        jitter = self._jitter() * min(LONGEST_WAIT, FIRST_WAIT * 2**retry)
        told = _told_to_wait(retry_after)
        if told is None:
            return jitter
        return told if retry == 0 else told + jitter

    def _keep_key_at_home(self, url):
        """The address of a page comes from outside."""
        if urlsplit(url)[:2] != urlsplit(self.url)[:2]:
            raise ValueError(f"{url} is not at {self.url}: the key stays here.")


def _told_to_wait(retry_after):
    """The header holds whole seconds, or from some proxies a date (RFC 9110, 10.2.3)."""
    if retry_after is None:
        return None
    if re.fullmatch(r"\d+", retry_after, re.ASCII):
        return int(retry_after)
    try:
        return max(0, parsedate_to_datetime(retry_after).timestamp() - time.time())
    except (TypeError, ValueError):
        return None


def _next_page(link):
    """The address with rel="next" in the Link header (RFC 8288)."""
    found = re.search(r'<([^>]*)>;\s*rel="next"', link)
    return found and found[1]


def _error_body(text):
    """Whatever stands between the client and the service may answer with anything."""
    try:
        body = json.loads(text)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _press_enter(seconds):
    print(f"Told to wait {seconds:g} s: press Enter to go on.", file=sys.stderr, flush=True)
    sys.stdin.readline()


def main():
    arguments = argparse.ArgumentParser(description="Lists and adds animals.")
    arguments.add_argument("--enter", action="store_true", help="ask for Enter instead of waiting")
    commands = arguments.add_subparsers(dest="command", required=True)
    listing = commands.add_parser("list", help="list all animals")
    listing.add_argument("--status", choices=["available", "pending", "sold"])
    listing.add_argument("--limit", type=int, default=100, help="animals in a page, 1 to 100")
    adding = commands.add_parser("add", help="add an animal")
    adding.add_argument("name")
    adding.add_argument("category_id", type=int)
    chosen = arguments.parse_args()

    url = os.environ.get("PETSTORE_URL", "http://127.0.0.1:3000/v1")
    key = os.environ.get("PETSTORE_KEY", "")
    petstore = Petstore(url, key, sleep=_press_enter if chosen.enter else time.sleep)
    try:
        if chosen.command == "add":
            print(json.dumps(petstore.add_pet(chosen.name, chosen.category_id)))
        else:
            for pet in petstore.pets(chosen.status, chosen.limit):
                print(pet["id"], pet["status"], pet["name"], sep="\t")
    except PetstoreError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()

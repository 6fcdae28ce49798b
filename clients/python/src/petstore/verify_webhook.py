"""Messages to webhooks."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import time
from collections.abc import Callable, Mapping
from typing import cast

from .errors import Problem, WebhookVerificationError
from .events import AnyEvent, WebhookEvent

_SECRET = re.compile(r"\s*whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)\s*")


def verify_webhook(
    payload: str | bytes | bytearray | memoryview,
    headers: Mapping[str, str],
    secret: str,
    *,
    tolerance: float = 300,
    now: Callable[[], float] = time.time,
) -> WebhookEvent:
    """Checks that the service has signed a message to a webhook (Standard Webhooks), and returns its event.

    payload: the body, exactly as received.
    secret: `whsec_…`, from the response that created the webhook or rotated its secret. White space around it, such as
    the end of the line in a file, does not count.
    tolerance: how old a message may be, in seconds.

    A message may arrive more than once, with the same `webhook-id`. Raises WebhookVerificationError if a header is
    missing, the message is too old, or no signature is valid, ValueError if the secret is missing or is not one, and
    TypeError for a body that is missing or parsed already.
    """
    key = _key_of(secret)
    body = _encoded(payload) if isinstance(payload, str) else _bytes_of(payload)
    given = {name.lower(): value for name, value in headers.items()}
    try:
        message, sent, signatures = (given[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
    except KeyError as missing:
        raise _invalid(f"The header {missing.args[0]} is missing.") from None
    if not (re.fullmatch(r"[0-9]{1,15}", sent) and abs(now() - int(sent)) <= tolerance):
        raise _invalid(f"The message is not from the last {tolerance:g} seconds.")
    digest = hmac.new(key, _encoded(f"{message}.{sent}.") + body, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    if not any(hmac.compare_digest(expected, _encoded(one)) for one in signatures.split(" ")):
        raise _invalid("No signature is valid. Check the secret of the webhook, and that the body is exactly as received.")
    return cast(WebhookEvent, AnyEvent.from_json(json.loads(body)))


def _invalid(message: str) -> WebhookVerificationError:
    return WebhookVerificationError(Problem("invalid_signature", message))


def _encoded(text: str) -> bytes:
    """Servers may make lone surrogates of bytes that are not UTF-8. They are not refused, but signed by nobody."""
    return text.encode("utf-8", "surrogatepass")


def _bytes_of(payload: bytes | bytearray | memoryview) -> bytes:
    try:
        return bytes(memoryview(payload))  # of a number, bytes() makes zeros
    except TypeError:
        mistake = "There is none" if payload is None else f"A {type(payload).__name__} seems to be parsed already"
        raise TypeError(f"The payload must be the body exactly as received, a text or bytes. {mistake}.") from None


def _key_of(secret: object) -> bytes:
    found = _SECRET.fullmatch(secret) if isinstance(secret, str) else None
    if found and found[1]:
        return base64.b64decode(found[1])
    mistake = "" if secret else " It is not set."
    raise ValueError(f"The secret must start with whsec_ and continue in base64.{mistake}")

"""Messages to webhooks."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from collections.abc import Callable, Mapping
from typing import cast

from .errors import Problem, WebhookVerificationError
from .events import AnyEvent, WebhookEvent

_PREFIX = "whsec_"


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
    secret: `whsec_…`, from the response that created the webhook or rotated its secret.
    tolerance: how old a message may be, in seconds.

    A message may arrive more than once, with the same `webhook-id`. Raises WebhookVerificationError if a header is
    missing, the message is too old, or no signature is valid, ValueError if the secret is invalid, and TypeError
    for a body that is parsed already.
    """
    body = payload.encode() if isinstance(payload, str) else _bytes_of(payload)
    given = {name.lower(): value for name, value in headers.items()}
    try:
        message, sent, signatures = (given[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
    except KeyError as missing:
        raise _invalid(f"The header {missing.args[0]} is missing.") from None
    if not (re.fullmatch(r"[0-9]{1,15}", sent) and abs(now() - int(sent)) <= tolerance):
        raise _invalid(f"The message is not from the last {tolerance:g} seconds.")
    digest = hmac.new(_key_of(secret), f"{message}.{sent}.".encode() + body, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    if not any(hmac.compare_digest(expected, one.encode()) for one in signatures.split(" ")):
        raise _invalid("No signature is valid. Check the secret of the webhook, and that the body is exactly as received.")
    return cast(WebhookEvent, AnyEvent.from_json(json.loads(body)))


def _invalid(message: str) -> WebhookVerificationError:
    return WebhookVerificationError(Problem("invalid_signature", message))


def _bytes_of(payload: bytes | bytearray | memoryview) -> bytes:
    try:
        return bytes(memoryview(payload))  # of a number, bytes() makes zeros
    except TypeError:
        kind = type(payload).__name__
        message = f"The payload must be the body exactly as received, a text or bytes. A {kind} seems to be parsed already."
        raise TypeError(message) from None


def _key_of(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret[len(_PREFIX) :], validate=True) if secret.startswith(_PREFIX) else b""
    except binascii.Error:
        key = b""
    if not key:
        raise ValueError("The secret must start with whsec_ and continue in base64.")
    return key

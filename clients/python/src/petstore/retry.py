"""When to try again, and how long to wait before."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from email.utils import parsedate_to_datetime

import httpx

from .errors import ConflictError, ConnectionError, NotFoundError, PetstoreError, RateLimitError
from .operations import Operation

_FIRST_WAIT = 0.5  # seconds: the upper end of the first random wait; each further one doubles it
_LONGEST_WAIT = 30.0
_PASSING_FAULTS = (408, 502, 503, 504)


def is_worth_another_try(operation: Operation, error: PetstoreError) -> bool:
    """Whether the same request, sent again, may succeed and cannot do its work twice."""
    if isinstance(error, RateLimitError):
        return True  # refused before anything was done
    is_done_once = operation.takes_idempotency_key or operation.method in ("GET", "PUT", "DELETE")
    is_passing = (
        isinstance(error, ConnectionError)
        or error.status in _PASSING_FAULTS
        or (isinstance(error, ConflictError) and error.code == "idempotency_in_progress")
    )
    return is_done_once and is_passing


def is_already_deleted(operation: Operation, error: PetstoreError, earlier: Sequence[PetstoreError]) -> bool:
    """Whether an earlier attempt has deleted what this one does not find. A 429 deletes nothing, and a 404 of a proxy
    has no code of the service.
    """
    is_missing = isinstance(error, NotFoundError) and error.code not in ("unknown", "route_not_found")
    return operation.method == "DELETE" and is_missing and any(not isinstance(one, RateLimitError) for one in earlier)


def wait_before(retry: int, retry_after: float | None, random: float) -> float:
    """Retry-After, and on top of it a random time below a bound that doubles, so that programs that were refused
    together do not come back together.

    In seconds; `retry` is 0 for the first one, `random` is from 0 up to, but not including, 1.
    """
    jitter = random * min(_LONGEST_WAIT, _FIRST_WAIT * 2.0**retry)
    return (retry_after or 0) + jitter


def retry_after_of(headers: httpx.Headers, now: float) -> float | None:
    """In seconds. The field holds whole seconds, or from some proxies a date (RFC 9110, 10.2.3)."""
    field: str | None = headers.get("Retry-After")
    if field is None:
        return None
    if re.fullmatch(r"\d{1,15}", field, re.ASCII):
        return int(field)
    try:
        return max(0, math.ceil(parsedate_to_datetime(field).timestamp() - now))
    except (TypeError, ValueError):
        return None

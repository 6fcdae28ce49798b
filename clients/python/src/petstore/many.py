"""Many pets in parts. Sends nothing itself.

The key of a part is made from the key of the whole and the place of its first pet, so what a part contains must not depend on what
changes between two runs, as the plan does: each part begins with the most that any plan takes and gets smaller until the service
takes it, or has stored it. It has stored the parts of an earlier run in their sizes, and refuses others.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Sequence
from dataclasses import asdict, replace
from typing import Any

from .decoding import encode
from .errors import CreateManyError, PetstoreError, Problem, TimeoutError
from .models import NewPet, Pet

SIZES = (100, 50, 10)
"""How many pets a request of each plan takes, the largest first."""
_MAX_BYTES = 16 * 1024
_SURROUNDINGS = len('{"pets": []}')
_NEEDS_ANOTHER_SIZE = ("too_many_pets", "idempotency_key_reused")


async def each_of(pets: Iterable[NewPet] | AsyncIterable[NewPet]) -> AsyncIterator[NewPet]:
    """For the asynchronous client, which takes both."""
    if isinstance(pets, AsyncIterable):
        async for pet in pets:
            yield pet
    else:
        for pet in pets:
            yield pet


def body_of(pets: Sequence[NewPet]) -> dict[str, Any]:
    return {"pets": [encode(asdict(pet)) for pet in pets]}


def fitting(pets: Sequence[NewPet]) -> int:
    """How many fit into a body of 16 KiB, at least one."""
    size = _SURROUNDINGS
    for place, pet in enumerate(pets):
        size += len(json.dumps(encode(asdict(pet)))) + len(", ")
        if size > _MAX_BYTES:
            return max(1, place)
    return len(pets)


def smaller(count: int, error: PetstoreError) -> int | None:
    """The next size to try after this error; None if another size does not help."""
    is_of_size = error.status == 413 or error.code in _NEEDS_ANOTHER_SIZE
    if not is_of_size or count == 1:
        return None
    return next((size for size in SIZES if size < count), count // 2)


def left(ends: float, now: float) -> float:
    """Seconds. Raises TimeoutError if there are none: a request that has no time could be processed without a response."""
    if now >= ends:
        raise TimeoutError(Problem("timeout", "The total_timeout is over."))
    return ends - now


def key_of(key: str, first: int) -> str:
    return hashlib.sha256(f"{key}\n{first}".encode()).hexdigest()


def interrupted(cause: Exception, created: list[Pet]) -> CreateManyError:
    """The error of a part, which names pets by their place in the whole."""
    message = f"{len(created)} pets were added, then: "
    if not isinstance(cause, PetstoreError):
        return CreateManyError(Problem("interrupted", f"{message}{cause}"), created)
    offset = len(created)
    details = tuple(
        replace(
            detail,
            field=_moved(detail.field, offset),
            message=_moved(detail.message, offset),
            pointer=None if detail.pointer is None else _moved(detail.pointer, offset),
        )
        for detail in cause.details
    )
    message += _moved(cause.message, offset)
    status, request_id, retry_after = cause.status, cause.request_id, cause.retry_after
    return CreateManyError(
        Problem(cause.code, message, status, request_id, details, retry_after, cause.response), created
    )


def _moved(text: str, offset: int) -> str:
    return re.sub(r"(?<![^ /])(pets[./])(\d+)", lambda found: f"{found[1]}{int(found[2]) + offset}", text)

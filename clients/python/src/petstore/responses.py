"""What the headers of a response say."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Generic, TypeVar

import httpx

Item = TypeVar("Item")


@dataclass(frozen=True)
class RateLimitWindow:
    """One window of a quota, as the fields RateLimit-Policy and RateLimit tell it."""

    name: str
    """`minute` or `day`."""
    quota: int
    """Requests that the window may hold."""
    seconds: int
    """Its length."""
    remaining: int
    """Requests left."""
    resets_in: int
    """Seconds until it ends."""


@dataclass(frozen=True)
class RateLimitState:
    """The quota of the key after a response. The numbers are those of the window with the fewest requests left."""

    limit: int
    remaining: int
    reset: int
    """When that window ends: Unix time in seconds."""
    windows: tuple[RateLimitWindow, ...]


@dataclass(frozen=True)
class ResponseInfo:
    """What is worth knowing of a response beside its body."""

    operation: str
    """The `operationId` of the document."""
    status: int
    request_id: str | None
    """Identifies the request in the service's log."""
    rate_limit: RateLimitState | None
    """None where something in front of the service has responded."""
    etag: str | None
    """For `if_none_match` and `if_match`."""
    idempotent_replayed: bool
    """Whether this is the first response once more, because its Idempotency-Key was used before."""
    retry_after: float | None = None
    """Seconds to wait before the next request, if the response says so."""


class Result:
    """What a call returns. A property or an item of it is not a result of its own, and has no `response`."""

    response: ResponseInfo
    """What the response said beside its body: `etag`, `rate_limit`, `request_id`."""


class ResultList(list[Item]):
    """A list that a call returns whole."""

    response: ResponseInfo
    """What the response said beside its body."""


@dataclass(frozen=True)
class Page(Generic[Item]):
    """One page of a list."""

    items: list[Item]
    next_cursor: str | None
    """The `cursor` of the next page. None on the last one."""
    response: ResponseInfo


def response_info(
    operation: str, status: int, headers: httpx.Headers, retry_after: float | None
) -> ResponseInfo:
    return ResponseInfo(
        operation=operation,
        status=status,
        request_id=headers.get("X-Request-Id"),
        rate_limit=_rate_limit(headers),
        etag=headers.get("ETag"),
        idempotent_replayed=headers.get("Idempotent-Replayed") == "true",
        retry_after=retry_after,
    )


def links(headers: httpx.Headers) -> dict[str, str]:
    """The address for each relation of the Link field (RFC 8288)."""
    found = re.findall(r'<([^>]*)>\s*;[^<]*?\brel="?([^",;]+)', headers.get("Link", ""))
    return {relation: address for address, relation in found}


def _rate_limit(headers: httpx.Headers) -> RateLimitState | None:
    numbers = [headers.get(f"X-RateLimit-{name}", "") for name in ("Limit", "Remaining", "Reset")]
    if not all(re.fullmatch(r"\d{1,15}", number, re.ASCII) for number in numbers):
        return None
    limit, remaining, reset = map(int, numbers)
    return RateLimitState(limit, remaining, reset, tuple(_windows(headers)))


def _windows(headers: httpx.Headers) -> list[RateLimitWindow]:
    """Both fields are lists such as `"minute";q=60;w=60, "day";q=1000;w=86400`."""
    left = _entries(headers.get("RateLimit", ""))
    return [
        RateLimitWindow(name, policy["q"], policy["w"], left[name]["r"], left[name]["t"])
        for name, policy in _entries(headers.get("RateLimit-Policy", "")).items()
        if {"q", "w"} <= policy.keys() and {"r", "t"} <= left.get(name, {}).keys()
    ]


def _entries(field: str) -> dict[str, dict[str, int]]:
    return {
        name: {key: int(digits) for key, digits in re.findall(r"(\w+)=([0-9]{1,15})(?![0-9])", parameters)}
        for name, parameters in re.findall(r'"([^"]*)"((?:;\w+=[0-9]+)*)', field)
    }

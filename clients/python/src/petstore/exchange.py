"""One exchange with the service: makes the request, and reads the response. Sends nothing itself."""

from __future__ import annotations

import json
import os
import platform
import re
import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from socket import gaierror
from typing import Any
from urllib.parse import parse_qs, quote, urlencode, urlsplit

import httpx

from .decoding import decode, encode
from .deprecation import warn_of_deprecation
from .errors import ConnectionError, PetstoreError, Problem, TimeoutError, error_of
from .models import FieldError
from .operations import Operation
from .responses import ResponseInfo, links, response_info
from .retry import retry_after_of
from .version import VERSION


@dataclass(frozen=True)
class RequestOptions:
    """How one call differs from the client. Times are in seconds."""

    timeout: float | None = None
    """For each attempt: for connecting, for each pause, and for the whole response."""
    total_timeout: float | None = None
    """For the whole call, including retries and waits."""
    max_retries: int | None = None
    """Retries after the first attempt; 0 for none."""
    waits_for_quota: bool = False
    """Whether a 429 is waited for, however often it comes and however long it lasts."""


@dataclass(frozen=True)
class Settings:
    """What every request of a client has in common."""

    url: str
    api_key: str = field(repr=False)
    user_agent: str
    timeout: float
    total_timeout: float
    max_retries: int
    on_response: Callable[[ResponseInfo], None] | None


def settings_of(url: str | None, api_key: str | None, user_agent: str | None, **settings: Any) -> Settings:
    """Takes from the environment what is not given. Raises ValueError if something is missing or not valid."""
    url = (os.environ.get("PETSTORE_URL", "") if url is None else url).strip()
    api_key = (os.environ.get("PETSTORE_API_KEY", "") if api_key is None else api_key).strip()
    if not url:
        raise ValueError("The address is missing: give `url`, or set PETSTORE_URL.")
    if not api_key:
        raise ValueError("The key is missing: give `api_key`, or set PETSTORE_API_KEY.")
    if urlsplit(url).scheme not in ("http", "https"):
        raise ValueError(f"{url} is not an HTTP URL.")
    if not re.fullmatch("[!-~]+", api_key):
        raise ValueError("The key contains a character that no key has.")
    names = [user_agent, f"petstore-client-python/{VERSION}", f"python/{platform.python_version()}"]
    agent = " ".join(name for name in names if name)
    return Settings(url=url.rstrip("/"), api_key=api_key, user_agent=agent, **settings)


@dataclass(frozen=True)
class Call:
    """A request that may be sent several times."""

    operation: Operation
    url: str
    headers: dict[str, str]
    content: bytes | None

    @property
    def host(self) -> str:
        return urlsplit(self.url).netloc

    def headers_with(self, request_id: str) -> dict[str, str]:
        """Each try has an id of its own, made here so that a request without a response has one too."""
        return {**self.headers, "X-Request-Id": request_id}


def call_of(
    settings: Settings,
    operation: Operation,
    *,
    path: Mapping[str, int | str] | None = None,
    query: Mapping[str, Any] | None = None,
    body: dict[str, Any] | None = None,
    idempotency_key: str | None = None,
    if_none_match: str | None = None,
    if_match: str | None = None,
) -> Call:
    """Names are in snake_case; what is None is not sent."""
    content = None if body is None else json.dumps(encode(body), allow_nan=False).encode()
    if idempotency_key is None and operation.takes_idempotency_key:
        idempotency_key = secrets.token_hex(16)  # the same on each try
    headers = {
        "Authorization": f"Bearer {settings.api_key}",
        "Accept": "application/json",
        "User-Agent": settings.user_agent,
        "Content-Type": None if content is None else "application/json",
        "Idempotency-Key": idempotency_key,
        "If-None-Match": _as_sent(if_none_match),
        "If-Match": _as_sent(if_match),
    }
    given = {name: value for name, value in headers.items() if value is not None}
    return Call(operation, settings.url + _address(operation, path or {}, encode(dict(query or {}))), given, content)


MAX_VALUES = 101
"""Of one parameter: one more than the service takes, so that it refuses a longer list."""


def several(name: str, values: Any) -> list[Any] | None:
    """The values of a parameter that takes several, of any iterable; a generator is read once, and not to an end that may never come.

    Raises TypeError for what is one value: a text would be taken apart into characters.
    """
    if values is None:
        return None
    if isinstance(values, (str, bytes, bytearray, memoryview)) or not isinstance(values, Iterable):
        raise TypeError(f"`{name}` takes several values, such as a list, not {type(values).__name__}.")
    return list(islice(values, MAX_VALUES))


def lists_read(operation: Operation, query: Mapping[str, Any]) -> dict[str, Any]:
    """The query of an operation, to be sent for each page."""
    return {name: several(name, value) if name in operation.lists else value for name, value in query.items()}


_WITH_SUFFIX = re.compile(r'"([A-Za-z0-9_-]{22})-(?:gzip|br)"')
"""The tag of the service, as mod_deflate and mod_brotli of Apache change it. Others, such as those of a module, stay as they are."""


def _as_sent(etags: str | None) -> str | None:
    """A proxy that compresses marks the tag of a response as weak, or adds a suffix. The service accepts only its own."""
    return None if etags is None else _WITH_SUFFIX.sub(r'"\1"', etags.replace('W/"', '"'))


def _address(operation: Operation, path: Mapping[str, int | str], query: Mapping[str, Any]) -> str:
    """The path with its parameters in place, and the query."""
    filled = re.sub(r"\{(\w+)\}", lambda found: quote(str(path[found[1]]), safe=""), operation.path)
    # Without the parameter, an empty list would ask for everything. The service refuses it.
    given = {name: "" if value == [] else value for name, value in query.items()}
    return f"{filled}?{urlencode(given, doseq=True)}" if query else filled


@dataclass(frozen=True)
class RawResponse:
    """A response whose body has been received whole."""

    status: int
    reason: str
    headers: httpx.Headers
    content: bytes


class Reader:
    """Reads the responses of one client."""

    def __init__(self, on_response: Callable[[ResponseInfo], None] | None, now: Callable[[], float]) -> None:
        self._on_response = on_response
        self._now = now
        self._warned: set[str] = set()

    def read(self, operation: Operation, kind: Any, raw: RawResponse, sent_id: str) -> tuple[Any, ResponseInfo]:
        """The body as a `kind`, None where there is none. Raises the error in the response."""
        retry_after = retry_after_of(raw.headers, self._now())
        response = response_info(operation.id, raw.status, raw.headers, retry_after)
        if self._on_response is not None:
            self._on_response(response)
        if operation.id not in self._warned and warn_of_deprecation(operation, raw.headers):
            self._warned.add(operation.id)
        request_id = response.request_id or sent_id
        if not 200 <= raw.status < 300:
            problem = _problem(raw, request_id, retry_after)
            raise error_of(replace(problem, response=response))
        try:
            body = None if raw.status == 204 else decode(kind, json.loads(raw.content))
        except (TypeError, ValueError, AttributeError) as cause:
            message = f"The body of the response with status {raw.status} does not match the OpenAPI document."
            raise PetstoreError(Problem("invalid_response", message, raw.status, request_id)) from cause
        return body, response


def next_cursor(headers: httpx.Headers) -> str | None:
    """Of the address of the next page only the cursor is used: the key goes to no host that a response names."""
    _, _, query = links(headers).get("next", "").partition("?")
    return next(iter(parse_qs(query).get("cursor", [])), None)


def connection_error(cause: httpx.HTTPError, call: Call, limit: float, request_id: str) -> ConnectionError:
    """The error for a request without a complete response. `limit` is in seconds."""
    if isinstance(cause, httpx.TimeoutException):
        message = f"No complete response from {call.host} within {limit:g} s."
        return TimeoutError(Problem("timeout", message, request_id=request_id))
    reasons = _reasons(cause)
    if any(isinstance(reason, ConnectionRefusedError) for reason in reasons):
        message = f"{call.host} refused the connection."
    elif any(isinstance(reason, gaierror) for reason in reasons):
        message = f"The name of {call.host} cannot be resolved."
    else:
        message = f"No complete response from {call.host}."
    return ConnectionError(Problem("connection_failed", message, request_id=request_id))


def _reasons(error: BaseException | None) -> list[BaseException]:
    """An error with all that led to it: httpx wraps what the socket raised, and anyio wraps one error for each address."""
    if error is None:
        return []
    inner = [error.__cause__ or error.__context__, *getattr(error, "exceptions", ())]
    return [error, *(reason for one in inner for reason in _reasons(one))]


def _problem(raw: RawResponse, request_id: str, retry_after: float | None) -> Problem:
    """What the body of an error says. A proxy in between may send anything."""
    try:
        body = json.loads(raw.content)
        code, message = body["code"], body["message"]
        details = decode(list[FieldError], body.get("details", []))
    except (TypeError, ValueError, LookupError, AttributeError):
        code, message, details = None, None, []
    return Problem(
        code=code if isinstance(code, str) else "not_modified" if raw.status == 304 else "unknown",
        message=message if isinstance(message, str) else f"{raw.status} {raw.reason}".strip(),
        status=raw.status,
        request_id=request_id,
        details=tuple(details),
        retry_after=retry_after,
    )

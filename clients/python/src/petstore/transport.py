"""Sends requests, waits and tries again."""

from __future__ import annotations

import builtins
import json
import random
import re
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from email.message import Message
from http.client import HTTPException
from socket import gaierror
from typing import Any, TypeVar, cast
from urllib.error import HTTPError, URLError
from urllib.parse import parse_qs, quote, urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from .decoding import decode, encode
from .deprecation import warn_of_deprecation
from .errors import ConnectionError, PetstoreError, Problem, TimeoutError, error_of
from .listing import Item, Listing, Page
from .models import FieldError
from .operations import Operation
from .responses import ResponseInfo, ResultList, links, response_info
from .retry import is_worth_another_try, retry_after_of, wait_before

Result = TypeVar("Result")
_CHUNK = 65_536  # bytes


@dataclass(frozen=True)
class RequestOptions:
    """How one call differs from the client. Times are in seconds."""

    timeout: float | None = None
    """For each try: for the connection, for each silence on it, and for the whole response."""
    total_timeout: float | None = None
    """For the whole call, with its retries and waits."""
    max_retries: int | None = None
    """Tries after the first one. 0 for none."""


@dataclass(frozen=True)
class Runtime:
    """What the client takes from its surroundings. A test gives its own; times are in seconds."""

    now: Callable[[], float] = time.time
    """Unix time."""
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    random: Callable[[], float] = random.random
    """From 0 up to, but not including, 1."""


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


@dataclass(frozen=True)
class _RawResponse:
    status: int
    reason: str
    headers: Message
    text: bytes


class Transport:
    """Knows the operations by their table only."""

    def __init__(self, settings: Settings, runtime: Runtime) -> None:
        self._settings = settings
        self._runtime = runtime
        self._warned: set[str] = set()
        self._opener = build_opener(_NoRedirects)

    def call(
        self,
        operation: Operation,
        kind: type[Result],
        *,
        path: Mapping[str, int | str] | None = None,
        query: Mapping[str, Any] | None = None,
        body: dict[str, Any] | None = None,
        idempotency_key: str | None = None,
        if_none_match: str | None = None,
        if_match: str | None = None,
        options: RequestOptions | None = None,
    ) -> Result:
        """Calls an operation that returns one `kind`, or a ResponseInfo where the response has no body. Names are in snake_case; what is None is not sent."""
        address = _address(operation, path, encode(dict(query or {})))
        content = None if body is None else json.dumps(encode(body), allow_nan=False).encode()
        headers = _given(
            {"Idempotency-Key": idempotency_key, "If-None-Match": if_none_match, "If-Match": if_match}
        )
        body_or_none, _, response = self._send(operation, kind, address, headers, content, options)
        if body_or_none is None:
            return cast(Result, response)  # of an operation that responds without a body
        result = ResultList(body_or_none) if isinstance(body_or_none, list) else body_or_none
        object.__setattr__(result, "response", response)  # a model is frozen for those who use it
        return cast(Result, result)

    def list(
        self,
        operation: Operation,
        kind: type[Item],
        query: Mapping[str, Any],
        options: RequestOptions | None = None,
        path: Mapping[str, int | str] | None = None,
    ) -> Listing[Item]:
        """Calls an operation that returns pages of `kind`."""

        def load(cursor: str | None = None, if_none_match: str | None = None) -> Page[Item]:
            address = _address(operation, path, encode({**query, **_given({"cursor": cursor})}))
            headers = _given({"If-None-Match": if_none_match})
            kinds = list[kind]  # type: ignore[valid-type]  # a type that only the caller knows
            items, raw, response = self._send(operation, kinds, address, headers, None, options)
            return Page(items, _next_cursor(raw.headers), response)

        return Listing(load)

    def _send(
        self,
        operation: Operation,
        kind: Any,
        address: str,
        headers: dict[str, str],
        content: bytes | None,
        options: RequestOptions | None,
    ) -> tuple[Any, _RawResponse, ResponseInfo]:
        given = options or RequestOptions()
        timeout = _or(given.timeout, self._settings.timeout)
        retries = _or(given.max_retries, self._settings.max_retries)
        deadline = self._runtime.clock() + _or(given.total_timeout, self._settings.total_timeout)
        headers = self._headers(operation, headers, content)
        retry = 0
        while True:
            limit = max(0.001, min(timeout, deadline - self._runtime.clock()))  # a socket takes no 0
            # Ours, so that a request without a response has an id too.
            request_id = secrets.token_hex(16)
            request = Request(
                self._settings.url + address,
                data=content,
                headers={**headers, "X-Request-Id": request_id},
                method=operation.method,
            )
            try:
                raw = self._attempt(request, limit, request_id)
                return self._read(operation, kind, raw, request_id)
            except PetstoreError as error:
                if retry >= retries or not is_worth_another_try(operation, error):
                    raise
                wait = wait_before(retry, error.retry_after, self._runtime.random())
                if self._runtime.clock() + wait >= deadline:
                    raise
            self._runtime.sleep(wait)
            retry += 1

    def _headers(self, operation: Operation, given: dict[str, str], content: bytes | None) -> dict[str, str]:
        """Those that all tries have in common: a key that is made here is the same on each of them."""
        return {
            "Authorization": f"Bearer {self._settings.api_key}",
            "Accept": "application/json",
            "User-Agent": self._settings.user_agent,
            **({"Content-Type": "application/json"} if content is not None else {}),
            **({"Idempotency-Key": secrets.token_hex(16)} if operation.takes_idempotency_key else {}),
            **given,
        }

    def _attempt(self, request: Request, limit: float, request_id: str) -> _RawResponse:
        ends = self._runtime.clock() + limit
        try:
            try:
                response = self._opener.open(request, timeout=limit)
            except HTTPError as error:
                response = error
            with response:
                text = self._read_body(response, ends)
                return _RawResponse(response.status, response.reason, response.headers, text)
        except (OSError, HTTPException) as cause:
            reason = cause.reason if isinstance(cause, URLError) else cause
            if isinstance(reason, builtins.TimeoutError):
                message = f"No complete response within {limit:g} s."
                raise TimeoutError(Problem("timeout", message, request_id=request_id)) from cause
            message = f"No complete response from {request.host}."
            if isinstance(reason, ConnectionRefusedError):
                message = f"{request.host} refused the connection."
            elif isinstance(reason, gaierror):
                message = f"The name of {request.host} cannot be resolved."
            raise ConnectionError(Problem("connection_failed", message, request_id=request_id)) from cause

    def _read_body(self, response: Any, ends: float) -> bytes:
        """In pieces: the time limit of a socket is for each silence, not for the whole."""
        pieces = []
        while piece := response.read1(_CHUNK):
            pieces.append(piece)
            if self._runtime.clock() > ends:
                raise builtins.TimeoutError
        text = b"".join(pieces)
        expected = response.headers.get("Content-Length", "")
        if response.status not in (204, 304) and expected.isdecimal() and len(text) < int(expected):
            raise HTTPException("The connection ended in the midst of the body.")
        return text

    def _read(
        self, operation: Operation, kind: Any, raw: _RawResponse, sent_id: str
    ) -> tuple[Any, _RawResponse, ResponseInfo]:
        response = response_info(operation.id, raw.status, raw.headers)
        if self._settings.on_response is not None:
            self._settings.on_response(response)
        if operation.id not in self._warned and warn_of_deprecation(operation, raw.headers):
            self._warned.add(operation.id)
        request_id = response.request_id or sent_id
        if not 200 <= raw.status < 300:
            problem = _problem(raw, request_id, retry_after_of(raw.headers, self._runtime.now()))
            raise error_of(replace(problem, response=response))
        try:
            body = None if raw.status == 204 else decode(kind, json.loads(raw.text))
        except (TypeError, ValueError, AttributeError) as cause:
            message = f"The body of the response with status {raw.status} is not what the document says."
            raise PetstoreError(Problem("invalid_response", message, raw.status, request_id)) from cause
        return body, raw, response


def _address(
    operation: Operation, path: Mapping[str, int | str] | None, query: Mapping[str, Any]
) -> str:
    """The path with its parameters in place, and the query."""
    filled = re.sub(r"\{(\w+)\}", lambda found: quote(str((path or {})[found[1]]), safe=""), operation.path)
    return f"{filled}?{urlencode(query)}" if query else filled


class _NoRedirects(HTTPRedirectHandler):
    """The service does not redirect, and the key is never sent to another host."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _next_cursor(headers: Message) -> str | None:
    """Of the address of the next page only the cursor is used: the key goes to no host that a response names."""
    query = parse_qs(urlsplit(links(headers).get("next", "")).query)
    return next(iter(query.get("cursor", [])), None)


def _problem(raw: _RawResponse, request_id: str, retry_after: float | None) -> Problem:
    """What the body of an error says. Whatever stands between the client and the service may send anything."""
    try:
        body = json.loads(raw.text)
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


Value = TypeVar("Value")


def _or(given: Value | None, otherwise: Value) -> Value:
    return otherwise if given is None else given


def _given(properties: Mapping[str, str | None]) -> dict[str, str]:
    return {name: value for name, value in properties.items() if value is not None}

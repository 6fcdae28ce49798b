"""Sends requests, waits and tries again."""

from __future__ import annotations

import asyncio
import random
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import httpx

from ..errors import PetstoreError, RateLimitError
from ..exchange import (
    Call,
    RawResponse,
    Reader,
    RequestOptions,
    Settings,
    call_of,
    connection_error,
    lists_read,
    next_cursor,
)
from ..operations import Operation
from ..responses import Page, ResponseInfo, ResultList
from ..retry import is_already_deleted, is_worth_another_try, wait_before
from .connections import AsyncConnections
from .listing import AsyncListing

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class AsyncRuntime:
    """What the client takes from its surroundings. A test gives its own; times are in seconds."""

    now: Callable[[], float] = time.time
    """Unix time."""
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    random: Callable[[], float] = random.random
    """From 0 up to, but not including, 1."""


class AsyncTransport:
    """Knows the operations by their table only."""

    def __init__(self, settings: Settings, runtime: AsyncRuntime, connections: AsyncConnections) -> None:
        self._settings = settings
        self._runtime = runtime
        self._connections = connections
        self.clock = runtime.clock
        self._reader = Reader(settings.on_response, runtime.now)

    async def call(
        self, operation: Operation, kind: type[Result], *, options: RequestOptions | None = None, **request: Any
    ) -> Result:
        """Calls an operation that returns one `kind`, or a ResponseInfo where the response has no body.

        `request` is what `call_of` takes.
        """
        body, response, _ = await self._send(call_of(self._settings, operation, **request), kind, options)
        if body is None:
            return cast(Result, response)
        result = ResultList(body) if isinstance(body, list) else body
        object.__setattr__(result, "response", response)  # a model is frozen for those who use it
        return cast(Result, result)

    def list(
        self,
        operation: Operation,
        kind: type[Item],
        query: Mapping[str, Any],
        options: RequestOptions | None = None,
        path: Mapping[str, int | str] | None = None,
    ) -> AsyncListing[Item]:
        """Calls an operation that returns pages of `kind`."""
        query = lists_read(operation, query)

        async def load(cursor: str | None = None, if_none_match: str | None = None) -> Page[Item]:
            asked = {**query, "cursor": cursor or query["cursor"]}
            call = call_of(self._settings, operation, path=path, query=asked, if_none_match=if_none_match)
            kinds = list[kind]  # type: ignore[valid-type]  # a type that only the caller knows
            items, response, headers = await self._send(call, kinds, options)
            return Page(items, next_cursor(headers), response)

        return AsyncListing(load)

    async def _send(
        self, call: Call, kind: Any, options: RequestOptions | None
    ) -> tuple[Any, ResponseInfo, httpx.Headers]:
        given, settings, clock = options or RequestOptions(), self._settings, self.clock
        timeout = settings.timeout if given.timeout is None else given.timeout
        total_timeout = settings.total_timeout if given.total_timeout is None else given.total_timeout
        max_retries = settings.max_retries if given.max_retries is None else given.max_retries
        deadline = clock() + total_timeout
        earlier: list[PetstoreError] = []
        while True:
            request_id = secrets.token_hex(16)
            try:
                raw = await self._attempt(call, max(0.001, min(timeout, deadline - clock())), request_id)
                return *self._reader.read(call.operation, kind, raw, request_id), raw.headers
            except PetstoreError as error:
                if error.response is not None and is_already_deleted(call.operation, error, earlier):
                    return None, error.response, httpx.Headers()
                is_awaited = given.waits_for_quota and isinstance(error, RateLimitError)
                if not is_awaited and len(earlier) >= max_retries:
                    raise
                if not is_worth_another_try(call.operation, error):
                    raise
                wait = wait_before(len(earlier), error.retry_after, self._runtime.random())
                if clock() + wait >= deadline:
                    raise
                if not is_awaited:
                    earlier.append(error)
            await self._runtime.sleep(wait)

    async def _attempt(self, call: Call, limit: float, request_id: str) -> RawResponse:
        method, headers = call.operation.method, call.headers_with(request_id)
        http = self._connections.mine()
        ends = self.clock() + limit
        pieces = []
        try:
            async with http.stream(  # the key is never sent to another host
                method, call.url, headers=headers, content=call.content, timeout=limit, follow_redirects=False
            ) as response:
                async for piece in response.aiter_bytes():
                    pieces.append(piece)
                    if self.clock() > ends:  # httpx limits each silence, not the whole
                        raise httpx.ReadTimeout("The response takes too long.")
        except httpx.HTTPError as cause:
            raise connection_error(cause, call, limit, request_id) from cause
        return RawResponse(response.status_code, response.reason_phrase, response.headers, b"".join(pieces))

"""What has changed."""

from __future__ import annotations

from typing import Literal, cast

from ..events import AnyEvent, StoreEvent
from ..exchange import RequestOptions
from ..operations import LIST_EVENTS
from .listing import AsyncListing
from .transport import AsyncTransport


class AsyncEvents:
    """The feed of the last 30 days."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        type: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        since: Literal["now"] | None = None,
        options: RequestOptions | None = None,
    ) -> AsyncListing[StoreEvent]:
        """Every event exactly once, oldest first.

        The feed has no last page, so the list ends at an empty one. To go on later, read `pages()`, keep the last `next_cursor`, and
        give it as `cursor`. The single, empty page of `since="now"` has the cursor of what comes later. Raises GoneError if events
        after the cursor have expired.
        """
        query = {"type": type, "limit": limit, "cursor": cursor, "since": since}
        events = self._transport.list(LIST_EVENTS, AnyEvent, query, options)
        return cast(AsyncListing[StoreEvent], events).until_empty()

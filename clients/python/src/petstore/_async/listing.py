"""Lists that come in pages."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Generic, Protocol, TypeVar

from ..responses import Page

Item = TypeVar("Item")


class LoadPage(Protocol[Item]):
    """Asks for one page; without a cursor for the page that the query names."""

    async def __call__(self, cursor: str | None = None, if_none_match: str | None = None) -> Page[Item]: ...


class AsyncListing(Generic[Item]):
    """A list that is read on demand: `async for item in listing`.

    A page is one request, sent when the previous page is used up. The first request is sent with the first item.
    """

    def __init__(self, load: LoadPage[Item], ends_when_empty: bool = False) -> None:
        """A feed has no last page: the `next_cursor` of its empty page leads to what comes later."""
        self._load = load
        self._ends_when_empty = ends_when_empty

    async def __aiter__(self) -> AsyncIterator[Item]:
        async for page in self.pages():
            for item in page.items:
                yield item

    async def pages(self) -> AsyncIterator[Page[Item]]:
        """Page by page."""
        page = await self._load()
        yield page
        while page.next_cursor is not None and (page.items or not self._ends_when_empty):
            page = await self._load(page.next_cursor)
            yield page

    def until_empty(self) -> AsyncListing[Item]:
        """The same list, which ends at an empty page."""
        return AsyncListing(self._load, ends_when_empty=True)

    async def page(self, *, if_none_match: str | None = None) -> Page[Item]:
        """One page alone: the first, or the one that the `cursor` of the query names.

        Raises NotModifiedError while `if_none_match`, the `etag` of an earlier response, still holds.
        """
        return await self._load(None, if_none_match)

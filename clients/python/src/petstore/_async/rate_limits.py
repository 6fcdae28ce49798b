"""The quota of the API key."""

from __future__ import annotations

from ..exchange import RequestOptions
from ..models import RateLimit
from ..operations import GET_RATE_LIMIT
from .transport import AsyncTransport


class AsyncRateLimits:
    """The quota of the API key."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get(self, *, if_none_match: str | None = None, options: RequestOptions | None = None) -> RateLimit:
        """Plan, windows and ban. Free of charge, also while the key is exhausted or banned."""
        return await self._transport.call(GET_RATE_LIMIT, RateLimit, if_none_match=if_none_match, options=options)

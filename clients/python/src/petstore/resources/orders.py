"""Orders. Experimental: they may change or go without notice."""

from __future__ import annotations

from ..listing import Listing
from ..models import Order
from ..operations import LIST_ORDERS
from ..transport import RequestOptions, Transport


class Orders:
    """Orders of pets."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self, *, limit: int | None = None, cursor: str | None = None, options: RequestOptions | None = None
    ) -> Listing[Order]:
        """Every order once, in ascending order of `id`. `limit` is the size of a page: 1 to 100, 20 unless given."""
        return self._transport.list(LIST_ORDERS, Order, {"limit": limit, "cursor": cursor}, options)

"""Orders."""

from __future__ import annotations

from ..exchange import RequestOptions
from ..models import Order, OrderStatus, Sort
from ..operations import (
    APPROVE_ORDER,
    CANCEL_ORDER,
    DELIVER_ORDER,
    GET_ORDER,
    LIST_ORDERS,
    PLACE_ORDER,
    Operation,
)
from .listing import Listing
from .transport import Transport


class Orders:
    """Orders of pets."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        status: OrderStatus | None = None,
        pet_id: int | None = None,
        sort: Sort | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        options: RequestOptions | None = None,
    ) -> Listing[Order]:
        """All orders in ascending order of `id`, or newest first with `sort="-id"`. `limit` is the page size: 1 to 100, 20 by default."""
        query = {"status": status, "pet_id": pet_id, "sort": sort, "limit": limit, "cursor": cursor}
        return self._transport.list(LIST_ORDERS, Order, query, options)

    def place(
        self, *, pet_id: int, idempotency_key: str | None = None, options: RequestOptions | None = None
    ) -> Order:
        """Orders a pet. Retries do not order it twice. Raises ConflictError if it is not available."""
        body = {"pet_id": pet_id}
        return self._transport.call(
            PLACE_ORDER, Order, body=body, idempotency_key=idempotency_key, options=options
        )

    def get(
        self, order_id: int, *, if_none_match: str | None = None, options: RequestOptions | None = None
    ) -> Order:
        """One order. Raises NotFoundError if the id is unknown."""
        path = {"orderId": order_id}
        return self._transport.call(GET_ORDER, Order, path=path, if_none_match=if_none_match, options=options)

    def approve(
        self,
        order_id: int,
        *,
        if_match: str | None = None,
        idempotency_key: str | None = None,
        options: RequestOptions | None = None,
    ) -> Order:
        """Raises ConflictError if the order is not `placed`.

        PreconditionFailedError if `if_match`, the `etag` of an earlier response, no longer holds.
        """
        return self._act(APPROVE_ORDER, order_id, if_match, idempotency_key, options)

    def deliver(
        self,
        order_id: int,
        *,
        if_match: str | None = None,
        idempotency_key: str | None = None,
        options: RequestOptions | None = None,
    ) -> Order:
        """Its pet becomes `sold`. Raises ConflictError if the order is not `approved`."""
        return self._act(DELIVER_ORDER, order_id, if_match, idempotency_key, options)

    def cancel(
        self,
        order_id: int,
        *,
        if_match: str | None = None,
        idempotency_key: str | None = None,
        options: RequestOptions | None = None,
    ) -> Order:
        """Its pet becomes `available` again. Raises ConflictError if the order has ended."""
        return self._act(CANCEL_ORDER, order_id, if_match, idempotency_key, options)

    def _act(
        self,
        action: Operation,
        order_id: int,
        if_match: str | None,
        idempotency_key: str | None,
        options: RequestOptions | None,
    ) -> Order:
        path = {"orderId": order_id}
        return self._transport.call(
            action, Order, path=path, if_match=if_match, idempotency_key=idempotency_key, options=options
        )

"""Webhooks: URLs to which events are sent."""

from __future__ import annotations

from collections.abc import Iterable

from ..exchange import RequestOptions, several
from ..models import Delivery, DeliveryState, Webhook, WebhookState, WebhookWithSecret
from ..operations import (
    CREATE_WEBHOOK,
    DELETE_WEBHOOK,
    GET_WEBHOOK,
    LIST_DELIVERIES,
    LIST_WEBHOOKS,
    PING_WEBHOOK,
    RETRY_DELIVERY,
    ROTATE_WEBHOOK_SECRET,
    UPDATE_WEBHOOK,
)
from ..responses import ResponseInfo
from .listing import AsyncListing
from .transport import AsyncTransport


class AsyncWebhooks:
    """The webhooks of the key."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self, *, limit: int | None = None, cursor: str | None = None, options: RequestOptions | None = None
    ) -> AsyncListing[Webhook]:
        """All webhooks of the key in ascending order of `id`."""
        query = {"limit": limit, "cursor": cursor}
        return self._transport.list(LIST_WEBHOOKS, Webhook, query, options)

    async def create(
        self, *, url: str, types: Iterable[str] | None = None, options: RequestOptions | None = None
    ) -> WebhookWithSecret:
        """Sends future events to a URL: those of `types`, or all.

        It is not retried automatically, because the secret is shown only once. Raises ValidationError if
        the URL may not be reached, and ConflictError if the key has too many.
        """
        body = {"url": url, "types": several("types", types)}
        return await self._transport.call(CREATE_WEBHOOK, WebhookWithSecret, body=body, options=options)

    async def get(
        self, webhook_id: int, *, if_none_match: str | None = None, options: RequestOptions | None = None
    ) -> Webhook:
        """One webhook. Raises NotFoundError if the key has no webhook with this id."""
        path = {"webhookId": webhook_id}
        return await self._transport.call(
            GET_WEBHOOK, Webhook, path=path, if_none_match=if_none_match, options=options
        )

    async def update(
        self,
        webhook_id: int,
        *,
        url: str | None = None,
        types: Iterable[str] | None = None,
        state: WebhookState | None = None,
        if_match: str | None = None,
        options: RequestOptions | None = None,
    ) -> Webhook:
        """Changes a webhook: what is None stays the same.

        Raises PreconditionFailedError if `if_match`, the `etag` of an earlier response, no longer holds.
        """
        body = {"url": url, "types": several("types", types), "state": state}
        path = {"webhookId": webhook_id}
        return await self._transport.call(
            UPDATE_WEBHOOK, Webhook, path=path, body=body, if_match=if_match, options=options
        )

    async def remove(
        self, webhook_id: int, *, if_match: str | None = None, options: RequestOptions | None = None
    ) -> ResponseInfo:
        """Removes a webhook. Nothing more is sent to it."""
        path = {"webhookId": webhook_id}
        return await self._transport.call(DELETE_WEBHOOK, ResponseInfo, path=path, if_match=if_match, options=options)

    async def rotate_secret(self, webhook_id: int, *, options: RequestOptions | None = None) -> WebhookWithSecret:
        """A new secret. For 24 hours the old one signs too."""
        path = {"webhookId": webhook_id}
        return await self._transport.call(ROTATE_WEBHOOK_SECRET, WebhookWithSecret, path=path, options=options)

    async def ping(
        self, webhook_id: int, *, idempotency_key: str | None = None, options: RequestOptions | None = None
    ) -> Delivery:
        """Sends an event of the type `webhook.ping`. Raises ConflictError if the webhook is disabled."""
        path = {"webhookId": webhook_id}
        return await self._transport.call(
            PING_WEBHOOK, Delivery, path=path, idempotency_key=idempotency_key, options=options
        )

    def deliveries(
        self,
        webhook_id: int,
        *,
        state: DeliveryState | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        options: RequestOptions | None = None,
    ) -> AsyncListing[Delivery]:
        """The deliveries of the last 30 days, newest first."""
        query = {"state": state, "limit": limit, "cursor": cursor}
        path = {"webhookId": webhook_id}
        return self._transport.list(LIST_DELIVERIES, Delivery, query, options, path)

    async def retry(
        self,
        webhook_id: int,
        delivery_id: int,
        *,
        idempotency_key: str | None = None,
        options: RequestOptions | None = None,
    ) -> Delivery:
        """Sends a delivery again. Raises ConflictError if the webhook is disabled."""
        path = {"webhookId": webhook_id, "deliveryId": delivery_id}
        return await self._transport.call(
            RETRY_DELIVERY, Delivery, path=path, idempotency_key=idempotency_key, options=options
        )

"""Events of the feed and of webhooks: `type` tells what `data` is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, Union

from .decoding import decode
from .models import Category, Event, Order, Pet, PetStatus


@dataclass(frozen=True)
class PetStatusChanged:
    """A pet after the change of its status."""

    id: int
    name: str
    category_id: int
    status: PetStatus
    previous_status: PetStatus


@dataclass(frozen=True)
class WebhookPing:
    """The webhook that is tried."""

    webhook_id: int


@dataclass(frozen=True)
class PetCreatedEvent:
    """A pet was added."""

    id: int
    type: Literal["pet.created"]
    version: int
    occurred_at: datetime
    data: Pet


@dataclass(frozen=True)
class PetUpdatedEvent:
    """The name or the category of a pet has changed, but not its status."""

    id: int
    type: Literal["pet.updated"]
    version: int
    occurred_at: datetime
    data: Pet


@dataclass(frozen=True)
class PetStatusChangedEvent:
    """The status of a pet has changed, possibly with its name or category: no `pet.updated` comes then."""

    id: int
    type: Literal["pet.status_changed"]
    version: int
    occurred_at: datetime
    data: PetStatusChanged


@dataclass(frozen=True)
class PetDeletedEvent:
    """A pet was removed. `data` is the pet as it was."""

    id: int
    type: Literal["pet.deleted"]
    version: int
    occurred_at: datetime
    data: Pet


@dataclass(frozen=True)
class CategoryCreatedEvent:
    """A category was added."""

    id: int
    type: Literal["category.created"]
    version: int
    occurred_at: datetime
    data: Category


@dataclass(frozen=True)
class CategoryUpdatedEvent:
    """A category has changed."""

    id: int
    type: Literal["category.updated"]
    version: int
    occurred_at: datetime
    data: Category


@dataclass(frozen=True)
class CategoryDeletedEvent:
    """A category was removed."""

    id: int
    type: Literal["category.deleted"]
    version: int
    occurred_at: datetime
    data: Category


@dataclass(frozen=True)
class OrderPlacedEvent:
    """An order was placed."""

    id: int
    type: Literal["order.placed"]
    version: int
    occurred_at: datetime
    data: Order


@dataclass(frozen=True)
class OrderApprovedEvent:
    """An order was approved."""

    id: int
    type: Literal["order.approved"]
    version: int
    occurred_at: datetime
    data: Order


@dataclass(frozen=True)
class OrderDeliveredEvent:
    """An order was delivered."""

    id: int
    type: Literal["order.delivered"]
    version: int
    occurred_at: datetime
    data: Order


@dataclass(frozen=True)
class OrderCancelledEvent:
    """An order was cancelled."""

    id: int
    type: Literal["order.cancelled"]
    version: int
    occurred_at: datetime
    data: Order


@dataclass(frozen=True)
class WebhookPingEvent:
    """A message that a webhook gets on request. It is not in the feed."""

    id: int
    type: Literal["webhook.ping"]
    version: int
    occurred_at: datetime
    data: WebhookPing


StoreEvent = Union[
    PetCreatedEvent,
    PetUpdatedEvent,
    PetStatusChangedEvent,
    PetDeletedEvent,
    CategoryCreatedEvent,
    CategoryUpdatedEvent,
    CategoryDeletedEvent,
    OrderPlacedEvent,
    OrderApprovedEvent,
    OrderDeliveredEvent,
    OrderCancelledEvent,
]
"""An event of the feed. Types may be added: one that this client does not know is a `petstore.Event`, with `data` as JSON."""

WebhookEvent = Union[StoreEvent, WebhookPingEvent]
"""What is sent to a webhook."""

_BY_TYPE: dict[str, type[Any]] = {
    "pet.created": PetCreatedEvent,
    "pet.updated": PetUpdatedEvent,
    "pet.status_changed": PetStatusChangedEvent,
    "pet.deleted": PetDeletedEvent,
    "category.created": CategoryCreatedEvent,
    "category.updated": CategoryUpdatedEvent,
    "category.deleted": CategoryDeletedEvent,
    "order.placed": OrderPlacedEvent,
    "order.approved": OrderApprovedEvent,
    "order.delivered": OrderDeliveredEvent,
    "order.cancelled": OrderCancelledEvent,
    "webhook.ping": WebhookPingEvent,
}


class AnyEvent:
    """Decodes an event by its `type`."""

    @staticmethod
    def from_json(value: Any) -> Any:
        return decode(_BY_TYPE.get(value.get("type"), Event), value)

"""What the service returns. A name in `snake_case` here is in `camelCase` in the document."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from .responses import Result

PetStatus = Literal["available", "pending", "sold"]
Sort = Literal["id", "-id"]
PetSort = Literal["id", "-id", "name", "-name"]
OrderStatus = Literal["placed", "approved", "delivered", "cancelled"]
Plan = Literal["free", "pro", "business", "enterprise"]
Scope = Literal[
    "pets:read",
    "pets:write",
    "orders:read",
    "events:read",
    "orders:write",
    "categories:read",
    "categories:write",
    "key:rotate",
    "webhooks:read",
    "webhooks:write",
]
WebhookState = Literal["enabled", "disabled"]
DisabledReason = Literal["request", "gone", "failing", "operator"]
DeliveryState = Literal["pending", "delivered", "failed"]
DeliveryError = Literal[
    "http_status",
    "timeout",
    "connection_failed",
    "tls_failed",
    "name_not_resolved",
    "address_refused",
    "secret_unreadable",
    "event_expired",
]
RequestPart = Literal["body", "query", "path", "header"]


@dataclass(frozen=True)
class Pet(Result):
    """A pet in the store."""

    id: int
    name: str
    category_id: int
    status: PetStatus


@dataclass(frozen=True)
class NewPet:
    """A pet to add. Without a `status` it is `available`."""

    name: str
    category_id: int
    status: PetStatus | None = None


@dataclass(frozen=True)
class PetBatch(Result):
    """Pets that were added by one request."""

    pets: list[Pet]


@dataclass(frozen=True)
class Inventory(Result):
    """The number of pets of each status."""

    available: int
    pending: int
    sold: int


@dataclass(frozen=True)
class Order(Result):
    """An order."""

    id: int
    pet_id: int
    quantity: int
    status: OrderStatus
    created_at: datetime


@dataclass(frozen=True)
class Category(Result):
    """A category of pets. Without a `parent_id` it is at the top."""

    id: int
    name: str
    parent_id: int | None = None


@dataclass(frozen=True)
class Event:
    """An event of a type that this client does not know yet. `data` is JSON."""

    id: int
    type: str
    version: int
    occurred_at: datetime
    data: dict[str, Any]


@dataclass(frozen=True)
class Webhook(Result):
    """A URL to which events are sent."""

    id: int
    url: str
    types: list[str]
    state: WebhookState
    created_at: datetime
    disabled_reason: DisabledReason | None = None
    failing_since: datetime | None = None
    previous_secret_ends_at: datetime | None = None


@dataclass(frozen=True)
class WebhookWithSecret(Result):
    """A webhook and its secret, shown only once."""

    id: int
    url: str
    types: list[str]
    state: WebhookState
    created_at: datetime
    secret: str
    disabled_reason: DisabledReason | None = None
    failing_since: datetime | None = None
    previous_secret_ends_at: datetime | None = None


@dataclass(frozen=True)
class DeliveryAttempt:
    """One attempt. Without a `status` no response came; without an `error` it succeeded."""

    at: datetime
    milliseconds: int
    status: int | None = None
    error: DeliveryError | None = None


@dataclass(frozen=True)
class Delivery(Result):
    """An event on its way to a webhook, with its attempts."""

    id: int
    type: str
    state: DeliveryState
    attempts: list[DeliveryAttempt]
    created_at: datetime
    event_id: int | None = None
    next_attempt_at: datetime | None = None


@dataclass(frozen=True)
class ApiKey(Result):
    """An API key without its secret."""

    id: int
    name: str
    plan: Plan
    scopes: list[Scope]
    created_at: datetime
    expires_at: datetime | None = None
    last_used_at: datetime | None = None
    old_secret_ends_at: datetime | None = None


@dataclass(frozen=True)
class RotatedKey(Result):
    """A new secret, shown only once."""

    key: str
    old_secret_ends_at: datetime | None = None


@dataclass(frozen=True)
class DayUsage:
    """The requests of a UTC day, `YYYY-MM-DD`."""

    day: str
    requests: int


@dataclass(frozen=True)
class QuotaWindow:
    """One window of a quota, in requests. `reset` is when it ends: Unix time in seconds."""

    limit: int
    remaining: int
    reset: int


@dataclass(frozen=True)
class Ban:
    """A ban. `until` is when it ends: Unix time in seconds."""

    until: int


@dataclass(frozen=True)
class RateLimit(Result):
    """The quota of an API key."""

    plan: Plan
    minute: QuotaWindow
    day: QuotaWindow
    ban: Ban | None = None


@dataclass(frozen=True)
class FieldError:
    """One invalid value of a request."""

    in_: RequestPart
    field: str
    code: str
    message: str
    pointer: str | None = None

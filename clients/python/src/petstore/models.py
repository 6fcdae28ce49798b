"""What the service answers. A name in `snake_case` here is in `camelCase` in the document."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

PetStatus = Literal["available", "pending", "sold"]
OrderStatus = Literal["placed", "approved", "delivered", "cancelled"]
Plan = Literal["free", "pro", "business", "enterprise"]
RequestPart = Literal["body", "query", "path", "header"]


@dataclass(frozen=True)
class Pet:
    """A pet in the store."""

    id: int
    name: str
    category_id: int
    status: PetStatus


@dataclass(frozen=True)
class Order:
    """An order. Experimental: it may change."""

    id: int
    pet_id: int
    quantity: int
    status: OrderStatus
    created_at: datetime


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
class RateLimit:
    """Where an API key stands. Beta: it may change."""

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

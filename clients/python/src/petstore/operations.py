"""The operations that this client offers."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Operation:
    """One operation of the document, by its `operationId`."""

    id: str
    method: str
    path: str
    """Below the base URL, with its parameters in braces."""
    takes_idempotency_key: bool = False
    """A POST that takes an Idempotency-Key can be sent again, and is done once all the same."""


LIST_PETS = Operation("listPets", "GET", "/pets")
CREATE_PET = Operation("createPet", "POST", "/pets", takes_idempotency_key=True)
GET_PET = Operation("getPet", "GET", "/pets/{petId}")
LIST_ORDERS = Operation("listOrders", "GET", "/store/orders")
GET_RATE_LIMIT = Operation("getRateLimit", "GET", "/rate-limit")

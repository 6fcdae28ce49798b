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
    lists: tuple[str, ...] = ()
    """The parameters of the query that take several values."""


LIST_PETS = Operation("listPets", "GET", "/pets", lists=("ids",))
CREATE_PET = Operation("createPet", "POST", "/pets", takes_idempotency_key=True)
CREATE_PETS = Operation("createPets", "POST", "/pets/batch", takes_idempotency_key=True)
UPDATE_PET = Operation("updatePet", "PATCH", "/pets/{petId}")
DELETE_PET = Operation("deletePet", "DELETE", "/pets/{petId}")
LIST_CATEGORIES = Operation("listCategories", "GET", "/categories")
CREATE_CATEGORY = Operation("createCategory", "POST", "/categories", takes_idempotency_key=True)
GET_CATEGORY = Operation("getCategory", "GET", "/categories/{categoryId}")
UPDATE_CATEGORY = Operation("updateCategory", "PATCH", "/categories/{categoryId}")
DELETE_CATEGORY = Operation("deleteCategory", "DELETE", "/categories/{categoryId}")
LIST_PETS_OF_CATEGORY = Operation("listPetsOfCategory", "GET", "/categories/{categoryId}/pets")
GET_INVENTORY = Operation("getInventory", "GET", "/store/inventory")
LIST_ORDERS = Operation("listOrders", "GET", "/store/orders")
PLACE_ORDER = Operation("placeOrder", "POST", "/store/orders", takes_idempotency_key=True)
GET_ORDER = Operation("getOrder", "GET", "/store/orders/{orderId}")
APPROVE_ORDER = Operation(
    "approveOrder", "POST", "/store/orders/{orderId}/approve", takes_idempotency_key=True
)
DELIVER_ORDER = Operation(
    "deliverOrder", "POST", "/store/orders/{orderId}/deliver", takes_idempotency_key=True
)
CANCEL_ORDER = Operation("cancelOrder", "POST", "/store/orders/{orderId}/cancel", takes_idempotency_key=True)
LIST_EVENTS = Operation("listEvents", "GET", "/events")
LIST_WEBHOOKS = Operation("listWebhooks", "GET", "/webhooks")
CREATE_WEBHOOK = Operation("createWebhook", "POST", "/webhooks")
GET_WEBHOOK = Operation("getWebhook", "GET", "/webhooks/{webhookId}")
UPDATE_WEBHOOK = Operation("updateWebhook", "PATCH", "/webhooks/{webhookId}")
DELETE_WEBHOOK = Operation("deleteWebhook", "DELETE", "/webhooks/{webhookId}")
ROTATE_WEBHOOK_SECRET = Operation("rotateWebhookSecret", "POST", "/webhooks/{webhookId}/rotate-secret")
LIST_DELIVERIES = Operation("listDeliveries", "GET", "/webhooks/{webhookId}/deliveries")
RETRY_DELIVERY = Operation(
    "retryDelivery", "POST", "/webhooks/{webhookId}/deliveries/{deliveryId}/retry", takes_idempotency_key=True
)
PING_WEBHOOK = Operation("pingWebhook", "POST", "/webhooks/{webhookId}/ping", takes_idempotency_key=True)
GET_KEY = Operation("getKey", "GET", "/key")
ROTATE_KEY = Operation("rotateKey", "POST", "/key/rotate")
GET_USAGE = Operation("getUsage", "GET", "/usage")
GET_RATE_LIMIT = Operation("getRateLimit", "GET", "/rate-limit")

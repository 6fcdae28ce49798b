"""The client of the Pet Store service."""

from .client import PetstoreClient
from .deprecation import DeprecatedOperationWarning
from .errors import (
    AuthenticationError,
    ConflictError,
    ConnectionError,
    GoneError,
    NotFoundError,
    NotModifiedError,
    PermissionError,
    PetstoreError,
    RateLimitError,
    ServerError,
    TimeoutError,
    ValidationError,
)
from .listing import Listing, Page
from .models import Ban, FieldError, Order, OrderStatus, Pet, PetStatus, Plan, QuotaWindow, RateLimit
from .responses import RateLimitState, RateLimitWindow, ResponseInfo
from .transport import RequestOptions, Runtime
from .version import VERSION as __version__

__all__ = [
    "AuthenticationError",
    "Ban",
    "ConflictError",
    "ConnectionError",
    "DeprecatedOperationWarning",
    "FieldError",
    "GoneError",
    "Listing",
    "NotFoundError",
    "NotModifiedError",
    "Order",
    "OrderStatus",
    "Page",
    "PermissionError",
    "Pet",
    "PetStatus",
    "PetstoreClient",
    "PetstoreError",
    "Plan",
    "QuotaWindow",
    "RateLimit",
    "RateLimitError",
    "RateLimitState",
    "RateLimitWindow",
    "RequestOptions",
    "ResponseInfo",
    "Runtime",
    "ServerError",
    "TimeoutError",
    "ValidationError",
    "__version__",
]

"""The errors of a call."""

from __future__ import annotations

from dataclasses import dataclass

from .models import FieldError, Pet
from .responses import ResponseInfo


@dataclass(frozen=True)
class Problem:
    """What an error is made of."""

    code: str
    message: str
    status: int | None = None
    request_id: str | None = None
    details: tuple[FieldError, ...] = ()
    retry_after: float | None = None
    response: ResponseInfo | None = None


class PetstoreError(Exception):
    """Branch on class or `code`, show `message`, and quote `request_id` when you ask for help."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.code = problem.code
        """Machine-readable; new codes may be added. Without a response of the service it is a code of this client."""
        self.message = problem.message
        self.status = problem.status
        """The HTTP status; None without a response."""
        self.request_id = problem.request_id
        """Identifies the request in the service's log."""
        self.details = problem.details
        """Each invalid property or parameter."""
        self.retry_after = problem.retry_after
        """Seconds to wait before a retry, if the response says so."""
        self.response = problem.response
        """What the response headers say, such as the rate limits; None without a response."""

    def __str__(self) -> str:
        status = "" if self.status is None else f"{self.status} "
        request = "" if self.request_id is None else f" (request {self.request_id})"
        return f"{status}{self.code}: {self.message}{request}"


class ValidationError(PetstoreError):
    """400 and 422: a property or parameter is not valid; see `details`."""


class AuthenticationError(PetstoreError):
    """401: no API key, or one that is not valid."""


class PermissionError(PetstoreError):
    """403: the API key lacks the scope."""


class NotFoundError(PetstoreError):
    """404: the resource does not exist."""


class ConflictError(PetstoreError):
    """409, and 422 `idempotency_key_reused`: conflicts with the current state."""


class PreconditionFailedError(PetstoreError):
    """412: the resource has changed since the version that `if_match` names."""


class GoneError(PetstoreError):
    """410: the operation has been removed, or the events after the cursor have been deleted."""


class InvalidRequestError(PetstoreError):
    """405, 408, 413, 415, 431 and further 4xx: the service cannot process the request as it was sent."""


class RateLimitError(PetstoreError):
    """429: the key's quota is used up, or the key is banned, for `retry_after` seconds."""


class ServerError(PetstoreError):
    """5xx: a fault of the service, or of a proxy before it."""


class ConnectionError(PetstoreError):
    """No response, or only part of one. The request may or may not have been processed."""


class TimeoutError(ConnectionError):
    """No complete response within the time limit."""


class NotModifiedError(PetstoreError):
    """304: nothing has changed since the response whose `etag` is `if_none_match`."""


class WebhookVerificationError(PetstoreError):
    """The service did not sign this webhook message, or not within the last 5 minutes. Respond with 400."""


class CreateManyError(PetstoreError):
    """`pets.create_many` was cut off. Run it again with the same `idempotency_key` and pets: no pet is added twice for 24 hours."""

    def __init__(self, problem: Problem, created: list[Pet]) -> None:
        super().__init__(problem)
        self.created = created
        """The pets that were added before the error, in their order. The next ones may have been added, too, if it is a ConnectionError."""


_BY_STATUS: dict[int, type[PetstoreError]] = {
    304: NotModifiedError,
    400: ValidationError,
    401: AuthenticationError,
    403: PermissionError,
    404: NotFoundError,
    409: ConflictError,
    410: GoneError,
    412: PreconditionFailedError,
    422: ValidationError,
    429: RateLimitError,
}
_BY_CODE: dict[str, type[PetstoreError]] = {"idempotency_key_reused": ConflictError}


def error_of(problem: Problem) -> PetstoreError:
    """The error for a response. A status or a code that this client does not know yet still gets a class."""
    status = problem.status or 0
    by_range = ServerError if status >= 500 else InvalidRequestError if status >= 400 else PetstoreError
    by_status = _BY_STATUS.get(status, by_range)
    return _BY_CODE.get(problem.code, by_status)(problem)

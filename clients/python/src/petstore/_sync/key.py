"""The key that the client sends."""

from __future__ import annotations

from ..exchange import RequestOptions
from ..models import ApiKey, DayUsage, RotatedKey
from ..operations import GET_KEY, GET_USAGE, ROTATE_KEY
from ..responses import ResultList
from .transport import Transport


class Key:
    """The API key of this client."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self, *, if_none_match: str | None = None, options: RequestOptions | None = None) -> ApiKey:
        """Plan, scopes, expiry and last use, never the secret."""
        return self._transport.call(GET_KEY, ApiKey, if_none_match=if_none_match, options=options)

    def rotate(
        self, *, overlap_seconds: int | None = None, options: RequestOptions | None = None
    ) -> RotatedKey:
        """A new secret, shown only once. The old one works for `overlap_seconds`, 24 hours by default.

        It is not retried automatically: if the response is lost, call it again while the old secret works. This
        client keeps using the old one. Raises PermissionError without the scope `key:rotate`.
        """
        body = {"overlap_seconds": overlap_seconds}
        return self._transport.call(ROTATE_KEY, RotatedKey, body=body, options=options)

    def usage(self, *, days: int | None = None, options: RequestOptions | None = None) -> ResultList[DayUsage]:
        """The requests of each UTC day, newest first."""
        return self._transport.call(GET_USAGE, ResultList[DayUsage], query={"days": days}, options=options)

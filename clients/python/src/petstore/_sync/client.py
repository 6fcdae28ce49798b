"""The client itself."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType

import httpx

from ..exchange import settings_of
from ..responses import ResponseInfo
from .categories import Categories
from .connections import Connections
from .events import Events
from .orders import Orders
from .key import Key
from .pets import Pets
from .rate_limits import RateLimits
from .transport import Runtime, Transport
from .webhooks import Webhooks


class PetstoreClient:
    """The Pet Store service. If a call fails, it raises a PetstoreError.

        with PetstoreClient() as client:
            for pet in client.pets.list(status="available"):
                print(pet.id, pet.name)

    It keeps its connections open for further calls, until `close`. Each process and event loop has its own.
    """

    def __init__(
        self,
        *,
        url: str | None = None,
        api_key: str | None = None,
        timeout: float = 10,
        total_timeout: float = 120,
        max_retries: int = 4,
        user_agent: str | None = None,
        on_response: Callable[[ResponseInfo], None] | None = None,
        http_client: httpx.Client | None = None,
        runtime: Runtime = Runtime(),
    ) -> None:
        """
        url: with the version, such as `https://petstore.example/v1`. Default: the variable PETSTORE_URL.
        api_key: default: the variable PETSTORE_API_KEY.
        timeout: seconds for each attempt: for connecting, for each pause, and for the whole response.
        total_timeout: seconds for a whole call, including retries and waits. One that would have to
            wait longer fails immediately.
        max_retries: retries after the first attempt; 0 for none.
        user_agent: your program, such as `shop/1.2`, sent before the name of this client.
        on_response: called with every response, including those that lead to a retry.
        http_client: your own, for a proxy or certificates. You close it yourself. It belongs to the process and event
            loop of its first call: in another one, a call raises RuntimeError.
        runtime: for tests.

        Raises ValueError if the address or the key is missing, or the address is not an HTTP URL.
        """
        settings = settings_of(
            url,
            api_key,
            user_agent,
            timeout=timeout,
            total_timeout=total_timeout,
            max_retries=max_retries,
            on_response=on_response,
        )
        self._connections = Connections(http_client)
        transport = Transport(settings, runtime, self._connections)
        self.pets = Pets(transport)
        self.categories = Categories(transport)
        self.orders = Orders(transport)
        self.events = Events(transport)
        self.webhooks = Webhooks(transport)
        self.key = Key(transport)
        self.rate_limits = RateLimits(transport)

    def close(self) -> None:
        """Closes the connections of this process and event loop, which then can send nothing more. Others can."""
        self._connections.close()

    def __enter__(self) -> PetstoreClient:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

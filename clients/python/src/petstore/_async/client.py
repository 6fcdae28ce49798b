"""The client itself."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType

import httpx

from ..exchange import settings_of
from ..responses import ResponseInfo
from .categories import AsyncCategories
from .connections import AsyncConnections
from .events import AsyncEvents
from .orders import AsyncOrders
from .key import AsyncKey
from .pets import AsyncPets
from .rate_limits import AsyncRateLimits
from .transport import AsyncRuntime, AsyncTransport
from .webhooks import AsyncWebhooks


class AsyncPetstoreClient:
    """The Pet Store service. If a call fails, it raises a PetstoreError.

        async with AsyncPetstoreClient() as client:
            async for pet in client.pets.list(status="available"):
                print(pet.id, pet.name)

    It keeps its connections open for further calls, until `aclose`. Each process and event loop has its own.
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
        http_client: httpx.AsyncClient | None = None,
        runtime: AsyncRuntime = AsyncRuntime(),
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
        self._connections = AsyncConnections(http_client)
        transport = AsyncTransport(settings, runtime, self._connections)
        self.pets = AsyncPets(transport)
        self.categories = AsyncCategories(transport)
        self.orders = AsyncOrders(transport)
        self.events = AsyncEvents(transport)
        self.webhooks = AsyncWebhooks(transport)
        self.key = AsyncKey(transport)
        self.rate_limits = AsyncRateLimits(transport)

    async def aclose(self) -> None:
        """Closes the connections of this process and event loop, which then can send nothing more. Others can."""
        await self._connections.aclose()

    async def __aenter__(self) -> AsyncPetstoreClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

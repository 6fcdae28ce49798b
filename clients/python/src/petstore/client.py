"""The client itself."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable
from urllib.parse import urlsplit

from .resources.categories import Categories
from .resources.events import Events
from .resources.orders import Orders
from .resources.own_key import OwnKey
from .resources.pets import Pets
from .resources.rate_limits import RateLimits
from .resources.webhooks import Webhooks
from .responses import ResponseInfo
from .transport import Runtime, Settings, Transport
from .version import VERSION


class PetstoreClient:
    """The Pet Store service. What a call cannot do it raises as a PetstoreError.

        client = PetstoreClient()
        for pet in client.pets.list(status="available"):
            print(pet.id, pet.name)

    It may be used by several threads.
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
        runtime: Runtime = Runtime(),
    ) -> None:
        """
        url: with the version, such as `https://petstore.example/v1`. The variable PETSTORE_URL unless given.
        api_key: the variable PETSTORE_API_KEY unless given.
        timeout: seconds for each try: for the connection, for each silence on it, and for the whole response.
        total_timeout: seconds for a whole call, with its retries and waits. One that would have to wait
            longer fails at once.
        max_retries: tries after the first one; 0 for none.
        user_agent: your program, such as `shop/1.2`, put before the name of this client.
        on_response: called with every response, also of those that are followed by another try.
        runtime: for tests.

        Raises ValueError if the address or the key is missing, or the address is not an HTTP URL.
        """
        url = url or os.environ.get("PETSTORE_URL")
        api_key = api_key or os.environ.get("PETSTORE_API_KEY")
        if not url:
            raise ValueError("The address is missing: give `url`, or set PETSTORE_URL.")
        if not api_key:
            raise ValueError("The key is missing: give `api_key`, or set PETSTORE_API_KEY.")
        if urlsplit(url).scheme not in ("http", "https"):
            raise ValueError(f"{url} is not an HTTP URL.")
        names = [user_agent, f"petstore-client-python/{VERSION}", f"python/{platform.python_version()}"]
        settings = Settings(
            url=url.rstrip("/"),
            api_key=api_key,
            user_agent=" ".join(name for name in names if name),
            timeout=timeout,
            total_timeout=total_timeout,
            max_retries=max_retries,
            on_response=on_response,
        )
        self._transport = Transport(settings, runtime)
        self.pets = Pets(self._transport)
        self.categories = Categories(self._transport)
        self.orders = Orders(self._transport)
        self.events = Events(self._transport)
        self.webhooks = Webhooks(self._transport)
        self.key = OwnKey(self._transport)
        self.rate_limits = RateLimits(self._transport)

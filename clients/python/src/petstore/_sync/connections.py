"""The connections of a client."""

from __future__ import annotations

import httpx

from ..owner import Owner


class Connections:
    """Each owner has its own: of two processes with one socket, each may get the response to the other.

    Those of others are left alone, because to close one here could end it there. There is no lock, which another thread could
    hold during a fork: `setdefault` is one step.
    """

    def __init__(self, given: httpx.Client | None) -> None:
        self._given = given
        self._first_owner: dict[httpx.Client, Owner] = {}
        self._own: dict[Owner, httpx.Client | None] = {}
        """None where it was closed."""

    def mine(self) -> httpx.Client:
        """Raises RuntimeError if this owner has closed them, or the client that was given belongs to another."""
        owner = Owner.current()
        if self._given is not None:
            if self._first_owner.setdefault(self._given, owner) != owner:
                raise RuntimeError(f"The http_client was used in another {owner.KIND}: give each a client of its own.")
            return self._given
        if owner not in self._own:
            for ended in [one for one in list(self._own) if one.has_ended()]:
                self._own.pop(ended, None)
            self._own.setdefault(owner, httpx.Client())
        http = self._own[owner]
        if http is None:
            raise RuntimeError("The client is closed.")
        return http

    def close(self) -> None:
        owner = Owner.current()
        http = self._own.get(owner)
        self._own[owner] = None
        if http is not None:
            http.close()

"""Who may use a connection: the process that opened it and, for the asynchronous client, its event loop."""

from __future__ import annotations

import asyncio
import os
from typing import ClassVar, NamedTuple


class Owner(NamedTuple):
    """The process is asked at each call: a fork by C code, such as uWSGI, need not run what `os.register_at_fork` was given."""

    process: int

    KIND: ClassVar[str] = "process"

    @staticmethod
    def current() -> Owner:
        return Owner(os.getpid())

    def has_ended(self) -> bool:
        """Whether nobody can close its connections any more. Another process is not known here."""
        return False


class AsyncOwner(NamedTuple):
    process: int
    loop: asyncio.AbstractEventLoop | None
    """None under another library than asyncio."""

    KIND: ClassVar[str] = "process or event loop"

    @staticmethod
    def current() -> AsyncOwner:
        return AsyncOwner(os.getpid(), asyncio._get_running_loop())

    def has_ended(self) -> bool:
        return self.process == os.getpid() and self.loop is not None and self.loop.is_closed()

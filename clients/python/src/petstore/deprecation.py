"""The warning for a deprecated operation."""

from __future__ import annotations

import re
import sys
import warnings
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime

import httpx

from .operations import Operation
from .responses import links


class DeprecatedOperationWarning(FutureWarning):
    """The program calls an operation that will be removed. Python shows it unless a filter says otherwise."""


def warn_of_deprecation(operation: Operation, headers: httpx.Headers) -> bool:
    """Warns if the response is that of a deprecated operation, and says whether it is."""
    deprecation = headers.get("Deprecation")
    if deprecation is None:
        return False
    message = f"{operation.id} ({operation.method} {operation.path}) is deprecated"
    if re.fullmatch(r"@[0-9]{1,11}", deprecation):  # Unix seconds (RFC 9745)
        message += f" since {datetime.fromtimestamp(int(deprecation[1:]), timezone.utc):%Y-%m-%d}"
    try:
        message += f", and will be removed on {parsedate_to_datetime(headers.get('Sunset', '')):%Y-%m-%d}"
    except (TypeError, ValueError):
        pass
    if successor := links(headers).get("successor-version"):
        message += f". Its successor is {successor}"
    warnings.warn(f"{message}.", DeprecatedOperationWarning, stacklevel=_callers_level())
    return True


def _callers_level() -> int:
    """How far up the line is that called the client: that is where to change something."""
    package = __name__.partition(".")[0]
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        level, frame = level + 1, frame.f_back
    return level

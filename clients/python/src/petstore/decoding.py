"""JSON to dataclasses and back."""

from __future__ import annotations

import functools
import re
from dataclasses import fields, is_dataclass
from datetime import datetime
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

NULL = object()

_hints = functools.lru_cache(maxsize=None)(get_type_hints)


def json_name(name: str) -> str:
    """`category_id` is `categoryId` in JSON, and `in_` is `in`."""
    return re.sub(r"_(\w)", lambda found: found[1].upper(), name).rstrip("_")


def decode(kind: Any, value: Any) -> Any:  # Any: what a type hint is, no type can say
    """Makes a value of JSON into `kind`. What `kind` does not name is left out: the service may add properties.

    Raises TypeError, ValueError or AttributeError if the value is not of that kind.
    """
    if hasattr(kind, "from_json"):
        return kind.from_json(value)
    origin = get_origin(kind)
    if isinstance(origin, type) and issubclass(origin, list):
        if not isinstance(value, list):
            raise TypeError(f"{type(value).__name__} is not a list")
        return [decode(get_args(kind)[0], item) for item in value]
    if origin in (Union, UnionType):
        return decode(next(inner for inner in get_args(kind) if inner is not type(None)), value)
    if origin is dict or kind is Any:
        return value
    if isinstance(kind, type) and is_dataclass(kind):
        hints = _hints(kind)
        named = {name: value.get(json_name(name)) for name in (field.name for field in fields(kind))}
        return kind(**{name: decode(hints[name], property) for name, property in named.items() if property is not None})
    if kind is datetime:
        return datetime.fromisoformat(value.replace("Z", "+00:00"))
    return value


def encode(properties: dict[str, Any]) -> dict[str, Any]:
    """The names of JSON, without what is None; `NULL` is null."""
    given = {json_name(name): value for name, value in properties.items() if value is not None}
    return {name: None if value is NULL else value for name, value in given.items()}

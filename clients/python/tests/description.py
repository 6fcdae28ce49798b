"""Prints operations and models as JSON, to be held against the document of the service."""

import dataclasses
import json
import types
import typing
from datetime import datetime

from petstore import models, operations

NAMES = {int: "integer", str: "string", datetime: "date-time"}


def shape(kind):
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        return shape(typing.get_args(kind)[0])
    if typing.get_origin(kind) is typing.Literal:
        return list(typing.get_args(kind))
    if typing.get_origin(kind) in (list, dict):
        return "array" if typing.get_origin(kind) is list else "object"
    return NAMES.get(kind) or kind.__name__


def properties(model):
    hints = typing.get_type_hints(model)
    return {
        field.name: {
            "shape": shape(hints[field.name]),
            "required": field.default is dataclasses.MISSING,
        }
        for field in dataclasses.fields(model)
    }


print(
    json.dumps(
        {
            "operations": [
                dataclasses.asdict(one)
                for one in vars(operations).values()
                if isinstance(one, operations.Operation)
            ],
            "models": {
                name: properties(one)
                for name, one in vars(models).items()
                if dataclasses.is_dataclass(one)
            },
        }
    )
)

"""Categories of pets."""

from __future__ import annotations

from ..decoding import NULL
from ..exchange import RequestOptions
from ..models import Category, Pet, PetStatus, Sort
from ..operations import (
    CREATE_CATEGORY,
    DELETE_CATEGORY,
    GET_CATEGORY,
    LIST_CATEGORIES,
    LIST_PETS_OF_CATEGORY,
    UPDATE_CATEGORY,
)
from ..responses import ResponseInfo
from .listing import Listing
from .transport import Transport


class Categories:
    """A tree of categories."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self, *, limit: int | None = None, cursor: str | None = None, options: RequestOptions | None = None
    ) -> Listing[Category]:
        """All categories in ascending order of `id`."""
        query = {"limit": limit, "cursor": cursor}
        return self._transport.list(LIST_CATEGORIES, Category, query, options)

    def create(
        self,
        *,
        name: str,
        parent_id: int | None = None,
        idempotency_key: str | None = None,
        options: RequestOptions | None = None,
    ) -> Category:
        """Adds a category. Retries do not add it twice. Raises ConflictError if the name is taken."""
        body = {"name": name, "parent_id": parent_id}
        return self._transport.call(
            CREATE_CATEGORY, Category, body=body, idempotency_key=idempotency_key, options=options
        )

    def get(
        self, category_id: int, *, if_none_match: str | None = None, options: RequestOptions | None = None
    ) -> Category:
        """One category. Raises NotFoundError if the id is unknown."""
        path = {"categoryId": category_id}
        return self._transport.call(
            GET_CATEGORY, Category, path=path, if_none_match=if_none_match, options=options
        )

    def update(
        self,
        category_id: int,
        *,
        name: str | None = None,
        parent_id: int | None = None,
        to_top: bool = False,
        if_match: str | None = None,
        options: RequestOptions | None = None,
    ) -> Category:
        """Changes a category: what is None stays the same, and `to_top` removes its parent.

        Raises ConflictError if the name is taken or the category would become its own ancestor, and PreconditionFailedError
        if `if_match`, the `etag` of an earlier response, no longer holds.
        """
        body = {"name": name, "parent_id": NULL if to_top else parent_id}
        path = {"categoryId": category_id}
        return self._transport.call(
            UPDATE_CATEGORY, Category, path=path, body=body, if_match=if_match, options=options
        )

    def remove(
        self, category_id: int, *, if_match: str | None = None, options: RequestOptions | None = None
    ) -> ResponseInfo:
        """Removes a category, but not its pets. Raises ConflictError if it has subcategories."""
        path = {"categoryId": category_id}
        return self._transport.call(DELETE_CATEGORY, ResponseInfo, path=path, if_match=if_match, options=options)

    def pets(
        self,
        category_id: int,
        *,
        status: PetStatus | None = None,
        sort: Sort | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        options: RequestOptions | None = None,
    ) -> Listing[Pet]:
        """All pets of a category in ascending order of `id`, or newest first with `sort="-id"`."""
        query = {"status": status, "sort": sort, "limit": limit, "cursor": cursor}
        path = {"categoryId": category_id}
        return self._transport.list(LIST_PETS_OF_CATEGORY, Pet, query, options, path)

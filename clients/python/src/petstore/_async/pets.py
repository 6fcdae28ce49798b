"""Pets."""

from __future__ import annotations

import math
import secrets
from collections.abc import AsyncIterable, Callable, Iterable
from dataclasses import replace

from .. import many
from ..errors import NotFoundError, PetstoreError, Problem
from ..exchange import RequestOptions
from ..models import Inventory, NewPet, Pet, PetBatch, PetSort, PetStatus
from ..operations import CREATE_PET, CREATE_PETS, DELETE_PET, GET_INVENTORY, LIST_PETS, UPDATE_PET
from ..responses import ResponseInfo
from .listing import AsyncListing
from .transport import AsyncTransport

list_of = list  # inside the class, `list` is its method


class AsyncPets:
    """Pets in the store."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        status: PetStatus | None = None,
        category_id: int | None = None,
        ids: Iterable[int] | None = None,
        name_prefix: str | None = None,
        sort: PetSort | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        options: RequestOptions | None = None,
    ) -> AsyncListing[Pet]:
        """All pets in ascending order of `id`, or newest first with `sort="-id"`, or by name with `sort="name"` or `"-name"`.

        `name_prefix` lists those whose name begins with it, whatever its case, by name. `limit` is the page size: 1 to 100, 20 by default.

        `ids` lists only the pets with these identifiers, 1 to 100 of them: without one, the service refuses the request.
        """
        query = {
            "status": status,
            "categoryId": category_id,
            "ids": ids,
            "namePrefix": name_prefix,
            "sort": sort,
            "limit": limit,
            "cursor": cursor,
        }
        return self._transport.list(LIST_PETS, Pet, query, options)

    async def inventory(
        self, *, if_none_match: str | None = None, options: RequestOptions | None = None
    ) -> Inventory:
        """The number of pets of each status, as of a second ago or, in a large store, a little more."""
        return await self._transport.call(GET_INVENTORY, Inventory, if_none_match=if_none_match, options=options)

    async def create(
        self,
        *,
        name: str,
        category_id: int,
        status: PetStatus | None = None,
        idempotency_key: str | None = None,
        options: RequestOptions | None = None,
    ) -> Pet:
        """Adds a pet. Retries do not add it twice. Without a `status` it is `available`.

        `name` has 1 to 200 characters. Without an `idempotency_key` (1 to 255 printable ASCII characters, used for
        this request only) each call makes its own. Raises ValidationError if a property is not valid.
        """
        body = {"name": name, "category_id": category_id, "status": status}
        return await self._transport.call(
            CREATE_PET, Pet, body=body, idempotency_key=idempotency_key, options=options
        )

    async def create_many(
        self,
        pets: Iterable[NewPet] | AsyncIterable[NewPet],
        *,
        idempotency_key: str | None = None,
        on_progress: Callable[[int, list_of[Pet]], None] | None = None,
        options: RequestOptions | None = None,
    ) -> list_of[Pet]:
        """Adds many pets, as many in a request as the plan of the key allows, and waits whenever its quota is used up.

        If it is cut off, run it again with the same `idempotency_key` and the same pets within 24 hours: none is added
        twice. `on_progress` gets, after each request, how many pets exist now and those that it has added. Returns the
        pets in their order. Raises CreateManyError with the pets that were added before the error.

        The `total_timeout` of `options` is for all requests and waits. Without it, a wait for the quota may last until
        the next day.
        """
        key = secrets.token_hex(16) if idempotency_key is None else idempotency_key
        given = replace(options or RequestOptions(), waits_for_quota=True)
        ends = math.inf if given.total_timeout is None else self._transport.clock() + given.total_timeout
        created: list_of[Pet] = []
        waiting: list_of[NewPet] = []
        size = many.SIZES[0]

        async def send() -> None:
            nonlocal size
            count = min(size, many.fitting(waiting))
            while True:
                options = replace(given, total_timeout=many.left(ends, self._transport.clock()))
                try:
                    batch = await self._transport.call(
                        CREATE_PETS,
                        PetBatch,
                        body=many.body_of(waiting[:count]),
                        idempotency_key=many.key_of(key, len(created)),
                        options=options,
                    )
                    break
                except PetstoreError as error:
                    next_size = many.smaller(count, error)
                    if next_size is None:
                        raise
                    size = count = next_size
            del waiting[:count]
            created.extend(batch.pets)
            if on_progress is not None:
                on_progress(len(created), batch.pets)

        try:
            async for pet in many.each_of(pets):
                waiting.append(pet)
                if len(waiting) >= many.SIZES[0]:
                    await send()
            while waiting:
                await send()
        except Exception as cause:
            raise many.interrupted(cause, created) from cause
        return created

    async def get(
        self, pet_id: int, *, if_none_match: str | None = None, options: RequestOptions | None = None
    ) -> Pet:
        """One pet, by `GET /pets?ids=`.

        Raises NotFoundError if the id is unknown, and NotModifiedError while `if_none_match`, the `etag` of
        an earlier response, still holds.
        """
        page = await self.list(ids=[pet_id], options=options).page(if_none_match=if_none_match)
        for pet in page.items:
            object.__setattr__(pet, "response", page.response)  # a model is frozen for those who use it
            return pet
        message = f"There is no pet {pet_id}."
        raise NotFoundError(Problem("pet_not_found", message, 404, page.response.request_id, response=page.response))

    async def update(
        self,
        pet_id: int,
        *,
        name: str | None = None,
        category_id: int | None = None,
        status: PetStatus | None = None,
        if_match: str | None = None,
        options: RequestOptions | None = None,
    ) -> Pet:
        """Changes a pet: what is None stays the same.

        Raises ConflictError if its status cannot become the new one or an open order holds it, and
        PreconditionFailedError if `if_match`, the `etag` of an earlier response, no longer holds.
        """
        body = {"name": name, "category_id": category_id, "status": status}
        return await self._transport.call(
            UPDATE_PET, Pet, path={"petId": pet_id}, body=body, if_match=if_match, options=options
        )

    async def remove(
        self, pet_id: int, *, if_match: str | None = None, options: RequestOptions | None = None
    ) -> ResponseInfo:
        """Removes a pet. Raises ConflictError if an open order holds it."""
        return await self._transport.call(
            DELETE_PET, ResponseInfo, path={"petId": pet_id}, if_match=if_match, options=options
        )

"""Calls every operation of a running service, and prints what came.

To wait means to print for how long and to read a line: the caller turns the clock of the service meanwhile.
"""

import sys

import petstore


def sleep(seconds):
    print(f"waits {seconds:g} s", flush=True)
    sys.stdin.readline()


client = petstore.PetstoreClient(runtime=petstore.Runtime(sleep=sleep, random=lambda: 0))
pet = client.pets.create(name="Zoë", category_id=9_007_199_254_740_993, status="sold", idempotency_key="once")
again = client.pets.create(name="Zoë", category_id=9_007_199_254_740_993, status="sold", idempotency_key="once")
print("added once", pet == again, again.response.idempotent_replayed)
print("kept every digit", pet.category_id, client.pets.get(pet.id) == pet)
print("orders", [order.quantity for order in client.orders.list()])

first = client.pets.list(limit=1)
etag = first.page().response.etag
try:
    first.page(if_none_match=etag)
except petstore.NotModifiedError as error:
    print("not modified", error.status)
try:
    client.pets.create(name="", category_id=1)
except petstore.ValidationError as error:
    print("invalid", error.code, [problem.field for problem in error.details])

limits = client.rate_limits.get()
print("remaining", limits.minute.remaining, limits.response.rate_limit.remaining)
print("pets", len({pet.id for pet in client.pets.list(limit=1, status="available")}))

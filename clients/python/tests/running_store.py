"""Changes a running service by every operation beyond the contract, and prints what came."""

import petstore

client = petstore.PetstoreClient()

dogs = client.categories.create(name="Python dogs")
puppies = client.categories.create(name="Python puppies", parent_id=dogs.id)
print("category", client.categories.get(puppies.id).parent_id == dogs.id)
print("to the top", client.categories.update(puppies.id, to_top=True).parent_id)
print("categories", {dogs.id, puppies.id} <= {category.id for category in client.categories.list(limit=1)})

pet = client.pets.create(name="Rex", category_id=dogs.id)
etag = pet.response.etag
print("same version", client.pets.list(ids=[pet.id]).page().response.etag == etag)
print("changed", client.pets.update(pet.id, name="Max", if_match=etag).name)
try:
    client.pets.update(pet.id, name="Leo", if_match=etag)
except petstore.PreconditionFailedError as error:
    print("lost update", error.status)
print("of the category", pet.id in [one.id for one in client.categories.pets(dogs.id)])
print("by id", [one.name for one in client.pets.list(ids=[pet.id])])
print("by name", "Max" in [one.name for one in client.pets.list(name_prefix="mA", sort="-name", limit=1)])
print("counted", client.pets.inventory().available >= 0)

order = client.orders.place(pet_id=pet.id)
try:
    client.orders.place(pet_id=pet.id)
except petstore.ConflictError as error:
    print("held", error.code)
client.orders.approve(order.id)
print("delivered", client.orders.deliver(order.id).status, client.pets.list(ids=[pet.id]).page().items[0].status)
print("orders", [one.status for one in client.orders.list(pet_id=pet.id)], client.orders.get(order.id).pet_id == pet.id)
other = client.orders.place(pet_id=client.pets.create(name="Ben", category_id=1).id)
print("cancelled", client.orders.cancel(other.id).status)

client.pets.remove(pet.id)
client.categories.remove(dogs.id)
print("removed", [one.id for one in client.pets.list(ids=[pet.id])])

print("key", client.key.get().plan, "key:rotate" in client.key.get().scopes)
print("usage", [type(day.requests).__name__ for day in client.key.usage(days=1)][:1] in ([], ["int"]))
print("events", {event.type for event in client.events.list(limit=100)} <= set(
    ["pet.created", "pet.updated", "pet.status_changed", "pet.deleted", "category.created", "category.updated"]
    + ["category.deleted", "order.placed", "order.approved", "order.delivered", "order.cancelled"]
))
start = client.events.list(since="now", limit=100).page().next_cursor
later = client.pets.create(name="Later", category_id=1)
print("later events", [event.data.id == later.id for event in client.events.list(cursor=start)])
webhook = client.webhooks.create(url="https://8.8.8.8/events", types=["pet.created"])
print("webhook", webhook.secret.startswith("whsec_"), client.webhooks.get(webhook.id).types)
print("webhooks", [one.id for one in client.webhooks.list()] == [webhook.id])
print("new secret", client.webhooks.rotate_secret(webhook.id).secret != webhook.secret)
ping = client.webhooks.ping(webhook.id)
print("deliveries", [one.id for one in client.webhooks.deliveries(webhook.id)] == [ping.id])
print("again", client.webhooks.retry(webhook.id, ping.id).state)
print("disabled", client.webhooks.update(webhook.id, state="disabled").disabled_reason)
client.webhooks.remove(webhook.id)
print("no webhooks", list(client.webhooks.list()))
print("rotated", client.key.rotate(overlap_seconds=0).key.startswith("petstore_"))

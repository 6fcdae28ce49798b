import asyncio
import json
import unittest

import petstore
from petstore import AsyncPetstoreClient, CreateManyError, NewPet

from scripted_service import ScriptedResponse, ScriptedService, SimulatedTime

BROKEN = ScriptedResponse(instead="broken")


def some(count, name="Rex"):
    return [NewPet(f"{name} {place}", place) for place in range(count)]


def refusal(status, code, **headers):
    body = {"code": code, "message": code, "status": status}
    return ScriptedResponse(status, {name.replace("_", "-"): value for name, value in headers.items()}, body)


class Store:
    """Adds what it is sent, and remembers responses by key as the service does."""

    def __init__(self, most):
        self.most = most
        self.pets = []
        self.responses = {}

    def respond(self, request):
        key, pets = request.headers["Idempotency-Key"], json.loads(request.body)["pets"]
        if key in self.responses:
            body, response = self.responses[key]
            return response if body == request.body else refusal(422, "idempotency_key_reused")
        if len(pets) > self.most:
            return refusal(400, "too_many_pets")
        added = [
            {"status": "available", **pet, "id": len(self.pets) + place + 1} for place, pet in enumerate(pets)
        ]
        self.pets += [pet["name"] for pet in pets]
        response = ScriptedResponse(201, {}, {"pets": added})
        self.responses[key] = (request.body, response)
        return response


class CreateManyTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.service = ScriptedService()

    @classmethod
    def tearDownClass(cls):
        cls.service.stop()

    def setUp(self):
        self.service.reset()
        self.time = SimulatedTime(self)

    def client(self, **options):
        return self.time.client(self.service.url, **options)

    def answer_by(self, store, until=1_000_000):
        count = 0

        def respond(request):
            nonlocal count
            count += 1
            response = store.respond(request)
            return BROKEN if count > until else response

        self.service.respond = respond

    def sizes(self):
        return [len(json.loads(request.body)["pets"]) for request in self.service.received]

    def test_sends_as_many_as_the_plan_allows_and_tells_its_progress(self):
        store, progress = Store(50), []
        self.answer_by(store)
        created = self.client().pets.create_many(
            iter(some(120)), on_progress=lambda count, added: progress.append((count, len(added)))
        )
        self.assertEqual(self.sizes(), [100, 50, 50, 20])
        self.assertEqual(progress, [(50, 50), (100, 50), (120, 20)])
        self.assertEqual([pet.name for pet in created], store.pets)
        self.assertEqual(store.pets, [pet.name for pet in some(120)])

    def test_sends_no_body_above_16_kib(self):
        store = Store(100)
        self.answer_by(store)
        pets = some(100, "é" * 150)
        self.client().pets.create_many(pets)
        self.assertLessEqual(max(len(request.body.encode()) for request in self.service.received), 16_384)
        self.assertEqual(store.pets, [pet.name for pet in pets])

    def test_waits_for_the_quota_however_often_and_long(self):
        store, left = Store(100), 9

        def respond(request):
            nonlocal left
            left -= 1
            return refusal(429, "rate_limit_exceeded", Retry_After="3600") if left >= 0 else store.respond(request)

        self.service.respond = respond
        self.assertEqual(len(self.client().pets.create_many(some(5))), 5)
        self.assertEqual(len([wait for wait in self.time.waits if wait >= 3600]), 9)

    def test_adds_no_pet_twice_when_it_is_run_again_whatever_the_plan_is_then(self):
        pets = some(230)
        for before, after in ((50, 50), (10, 100), (100, 10)):
            for until in (0, 1, 2):
                with self.subTest(before=before, after=after, until=until):
                    store = Store(before)
                    self.answer_by(store, until)
                    options = petstore.RequestOptions(max_retries=0)
                    with self.assertRaises(CreateManyError):
                        self.client().pets.create_many(pets, idempotency_key="import", options=options)
                    store.most = after
                    self.answer_by(store)
                    created = self.client().pets.create_many(pets, idempotency_key="import")
                    self.assertEqual(store.pets, [pet.name for pet in pets])
                    self.assertEqual([pet.name for pet in created], store.pets)

    def test_ends_with_422_if_the_pets_are_others(self):
        self.answer_by(Store(100))
        self.client().pets.create_many(some(30), idempotency_key="import")
        with self.assertRaises(CreateManyError) as raised:
            self.client().pets.create_many(some(30, "Bella"), idempotency_key="import")
        self.assertEqual((raised.exception.status, raised.exception.created), (422, []))

    def test_says_after_an_error_what_was_made_and_which_pet_is_invalid(self):
        detail = {"in": "body", "field": "pets.3.name", "pointer": "/pets/3/name", "code": "required"}
        detail["message"] = "pets.3.name is missing"
        store, left = Store(100), 1

        def respond(request):
            nonlocal left
            left -= 1
            if left >= 0:
                return store.respond(request)
            body = {"code": "validation_failed", "message": detail["message"], "status": 400, "details": [detail]}
            return ScriptedResponse(400, {}, body)

        self.service.respond = respond
        with self.assertRaises(CreateManyError) as raised:
            self.client().pets.create_many(some(150))
        error = raised.exception
        self.assertEqual([pet.name for pet in error.created], store.pets)
        self.assertEqual([(one.field, one.pointer) for one in error.details], [("pets.103.name", "/pets/103/name")])
        self.assertEqual([one.message for one in error.details], ["pets.103.name is missing"])
        self.assertEqual(error.message, "100 pets were added, then: pets.103.name is missing")

    def test_ends_at_once_if_the_wait_would_exceed_its_total_timeout(self):
        store, left = Store(100), 2

        def respond(request):
            nonlocal left
            left -= 1
            return store.respond(request) if left >= 0 else refusal(429, "rate_limit_exceeded", Retry_After="3600")

        self.service.respond = respond
        with self.assertRaises(CreateManyError) as raised:
            self.client().pets.create_many(some(300), options=petstore.RequestOptions(total_timeout=3600))
        error = raised.exception
        self.assertEqual((error.status, error.code, error.retry_after), (429, "rate_limit_exceeded", 3600))
        self.assertEqual((len(error.created), self.time.waits), (200, []))

    def test_sends_no_part_after_its_total_timeout_which_is_for_all_parts(self):
        store = Store(100)
        self.answer_by(store)

        def later(*_):
            self.time.seconds += 5

        with self.assertRaises(CreateManyError) as raised:
            self.client().pets.create_many(
                some(300), on_progress=later, options=petstore.RequestOptions(total_timeout=10)
            )
        self.assertEqual(raised.exception.message, "200 pets were added, then: The total_timeout is over.")
        self.assertEqual((raised.exception.code, len(store.pets)), ("timeout", 200))

    def test_takes_asynchronous_iterables_too(self):
        store = Store(100)
        self.answer_by(store)

        async def later():
            for pet in some(30):
                yield pet

        async def run():
            async with AsyncPetstoreClient(url=self.service.url, api_key="petstore_x") as client:
                return len(await client.pets.create_many(later())) + len(await client.pets.create_many(some(5)))

        self.assertEqual(asyncio.run(run()), 35)


if __name__ == "__main__":
    unittest.main()

import itertools
import os
import pickle
import unittest
import warnings
from datetime import datetime, timezone
from unittest.mock import patch

import httpx
import petstore

from scripted_service import REFUSING_URL, ScriptedResponse, ScriptedService, SimulatedTime

BEYOND_DOUBLES = 9_007_199_254_740_993
REX = {"id": BEYOND_DOUBLES, "name": "Rex", "categoryId": 7, "status": "available"}
QUOTA = {
    "X-Request-Id": "r-1",
    "X-RateLimit-Limit": "60",
    "X-RateLimit-Remaining": "59",
    "X-RateLimit-Reset": "1795132860",
    "RateLimit-Policy": '"minute";q=60;w=60, "day";q=1000;w=86400',
    "RateLimit": '"minute";r=59;t=60, "day";r=811;t=51022',
}


def page(ids, cursor=None):
    link = f'<https://elsewhere.test/v1/pets?limit=1&cursor={cursor}>; rel="next"'
    return ScriptedResponse(headers={"Link": link} if cursor else {}, body=[{**REX, "id": n} for n in ids])


class ClientTest(unittest.TestCase):
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

    def failure(self, **options):
        with self.assertRaises(petstore.PetstoreError) as raised:
            self.client(max_retries=0, **options).rate_limits.get()
        return raised.exception

    def paths(self):
        return [request.path for request in self.service.received]


class AClient(ClientTest):
    def test_takes_address_and_key_from_the_environment_and_what_it_is_given_comes_first(self):
        environment = {"PETSTORE_URL": f"{self.service.url}/", "PETSTORE_API_KEY": "petstore_of_environment"}
        with patch.dict(os.environ, environment):
            for options in ({}, {"api_key": "petstore_mine"}):
                with petstore.PetstoreClient(**options) as client:
                    client.pets.list().page()
        sent = [(request.path, request.headers["Authorization"]) for request in self.service.received]
        self.assertEqual(
            sent, [("/v1/pets", "Bearer petstore_of_environment"), ("/v1/pets", "Bearer petstore_mine")]
        )

    def test_ignores_white_space_around_address_and_key_such_as_the_last_line_break_of_a_file(self):
        self.time.client(f" {self.service.url}\n", api_key="petstore_x\n").pets.list().page()
        [request] = self.service.received
        self.assertEqual((request.path, request.headers["Authorization"]), ("/v1/pets", "Bearer petstore_x"))

    def test_says_what_is_missing(self):
        with patch.dict(os.environ, {"PETSTORE_URL": "", "PETSTORE_API_KEY": ""}):
            for options, said in (
                ({}, "PETSTORE_URL"),
                ({"url": self.service.url}, "PETSTORE_API_KEY"),
                ({"url": "file:///etc", "api_key": "x"}, "not an HTTP URL"),
                ({"url": self.service.url, "api_key": "a\nb"}, "^The key contains a character that no key has.$"),
            ):
                with self.assertRaisesRegex(ValueError, said):
                    petstore.PetstoreClient(**options)

    def test_refuses_what_it_is_given_empty_and_does_not_take_that_of_the_environment(self):
        environment = {"PETSTORE_URL": self.service.url, "PETSTORE_API_KEY": "petstore_of_environment"}
        with patch.dict(os.environ, environment):
            for options, said in (({"url": ""}, "The address"), ({"api_key": " "}, "The key")):
                with self.assertRaisesRegex(ValueError, f"{said} is missing"):
                    petstore.PetstoreClient(**options)

    def test_names_itself_after_the_program_that_uses_it(self):
        list(self.client(user_agent="shop/1.2").pets.list())
        self.assertRegex(
            self.service.received[0].headers["User-Agent"],
            rf"^shop/1\.2 petstore-client-python/{petstore.__version__} python/3\.\d+\.\d+",
        )

    def test_uses_one_connection_again(self):
        client = self.client()
        for _ in range(3):
            client.pets.list().page()
        self.assertEqual(self.service.connections, 1)

    def test_takes_an_http_client_of_the_program_and_leaves_it_open(self):
        with httpx.Client(headers={"X-Tenant": "shop"}) as own:
            with self.client(http_client=own) as client:
                client.pets.list().page()
            self.assertFalse(own.is_closed)
        self.assertEqual(self.service.received[0].headers["X-Tenant"], "shop")

    def test_follows_no_redirect(self):
        with httpx.Client(follow_redirects=True) as own:
            for options in ({}, {"http_client": own}):
                self.service.reset()
                self.service.responses = [ScriptedResponse(302, {"Location": "/v1/elsewhere"})]
                with self.assertRaises(petstore.PetstoreError) as raised:
                    self.client(**options).rate_limits.get()
                self.assertEqual(raised.exception.status, 302)
                self.assertEqual(len(self.service.received), 1)


class Operations(ClientTest):
    def test_lists_pets_with_a_filter(self):
        self.client().pets.list(limit=2, status="sold", cursor="a&b").page()
        self.assertEqual(self.paths(), ["/v1/pets?status=sold&limit=2&cursor=a%26b"])

    def test_adds_a_pet_with_every_digit(self):
        self.service.responses = [ScriptedResponse(201, body={**REX, "property": "of a later version"})]
        added = self.client().pets.create(name="Zoë", category_id=BEYOND_DOUBLES, status="sold")
        self.assertEqual(added, petstore.Pet(id=BEYOND_DOUBLES, name="Rex", category_id=7, status="available"))
        [request] = self.service.received
        self.assertEqual((request.method, request.path), ("POST", "/v1/pets"))
        self.assertIn(f'"categoryId": {BEYOND_DOUBLES}, "status": "sold"', request.body)
        self.assertEqual(request.headers["Content-Type"], "application/json")
        self.assertEqual(request.headers["Accept"], "application/json")

    def test_gets_a_pet_by_its_id_and_raises_a_not_found_error_for_an_unknown_one(self):
        self.service.responses = [ScriptedResponse(headers={"ETag": '"rex"'}, body=[REX]), ScriptedResponse(body=[])]
        client = self.client()
        rex = client.pets.get(BEYOND_DOUBLES)
        self.assertEqual((rex.id, rex.response.etag), (BEYOND_DOUBLES, '"rex"'))
        self.assertEqual(self.paths(), [f"/v1/pets?ids={BEYOND_DOUBLES}"])
        with self.assertRaises(petstore.NotFoundError) as raised:
            client.pets.get(1)
        self.assertEqual((raised.exception.code, raised.exception.status), ("pet_not_found", 404))

    def test_warns_once_about_a_deprecated_operation(self):
        headers = {
            "Deprecation": "@1795132800",
            "Sunset": "Thu, 05 Dec 2030 00:00:00 GMT",
            "Link": '<https://petstore.test/v1/pets>; rel="successor-version", <https://x.test/>; rel="deprecation"',
        }
        self.service.responses = [ScriptedResponse(headers=headers, body=[]) for _ in range(2)]
        client = self.client()
        with warnings.catch_warnings(record=True) as shown:
            warnings.simplefilter("always")
            list(client.pets.list())
            list(client.pets.list())
        [warning] = shown
        self.assertEqual(
            str(warning.message),
            "listPets (GET /pets) is deprecated since 2026-11-20, and will be removed on 2030-12-05."
            " Its successor is https://petstore.test/v1/pets.",
        )
        self.assertEqual((warning.category, warning.filename), (petstore.DeprecatedOperationWarning, __file__))

    def test_lists_orders(self):
        order = {
            "id": 1,
            "petId": BEYOND_DOUBLES,
            "quantity": 1,
            "status": "placed",
            "createdAt": "2026-11-20T09:30:00.250Z",
        }
        self.service.responses = [ScriptedResponse(body=[order])]
        [found] = self.client().orders.list(limit=5)
        self.assertEqual((found.pet_id, found.status), (BEYOND_DOUBLES, "placed"))
        self.assertEqual(found.created_at, datetime(2026, 11, 20, 9, 30, 0, 250_000, timezone.utc))
        self.assertEqual(self.paths(), ["/v1/store/orders?limit=5"])

    def test_tells_where_the_key_stands(self):
        window = {"limit": 60, "remaining": 42, "reset": 1_795_132_860}
        limits = {"plan": "free", "minute": window, "day": window}
        self.service.responses = [ScriptedResponse(body=limits), ScriptedResponse(body={**limits, "ban": {"until": 5}})]
        free = self.client().rate_limits.get()
        self.assertEqual((free.plan, free.minute.remaining, free.ban), ("free", 42, None))
        self.assertEqual(self.client().rate_limits.get().ban, petstore.Ban(until=5))
        self.assertEqual(self.paths(), ["/v1/rate-limit"] * 2)

    def test_sends_the_tag_of_the_service_where_a_proxy_has_made_it_weak(self):
        order = {"id": 1, "petId": 2, "quantity": 1, "status": "cancelled", "createdAt": "2026-11-20T09:30:00.000Z"}
        self.service.responses = [ScriptedResponse(headers={"ETag": 'W/"a"'}, body=order), ScriptedResponse(body=order)]
        orders = self.client().orders
        orders.cancel(1, if_match=orders.get(1).response.etag, idempotency_key="k")
        sent = self.service.received[1].headers
        self.assertEqual((sent["If-Match"], sent["Idempotency-Key"]), ('"a"', "k"))

    def test_sends_a_tag_as_the_service_made_it_and_those_of_others_as_they_are(self):
        for etag, expected in (
            ('"0123456789abcdef_-ABCD-gzip"', '"0123456789abcdef_-ABCD"'),
            ('W/"0123456789abcdef_-ABCD", "-br-gzip-0123456789abc-br"', '"0123456789abcdef_-ABCD", "-br-gzip-0123456789abc"'),
            ('"my-own-gzip"', '"my-own-gzip"'),
            ('"0123456789abcdef_-ABC-gzip"', '"0123456789abcdef_-ABC-gzip"'),
            ('"0123456789abcdef_-ABCDE-br"', '"0123456789abcdef_-ABCDE-br"'),
            ('"0123456789abcdef_-ABCD-zstd"', '"0123456789abcdef_-ABCD-zstd"'),
        ):
            with self.subTest(etag):
                self.service.reset()
                self.service.responses = [ScriptedResponse(204, body=""), page([])]
                self.client().pets.remove(1, if_match=etag)
                self.client().pets.list().page(if_none_match=etag)
                removed, listed = (request.headers for request in self.service.received)
                self.assertEqual((removed["If-Match"], listed["If-None-Match"]), (expected, expected))

    def test_gives_each_result_its_own_response(self):
        tagged = [{"ETag": f'"{n}"'} for n in range(4)]
        self.service.responses = [
            ScriptedResponse(body=REX, headers=tagged[0]),
            ScriptedResponse(body=REX, headers=tagged[1]),
            ScriptedResponse(204, headers=tagged[2], body=""),
            ScriptedResponse(body=[], headers=tagged[3]),
        ]
        client = self.client()
        results = [client.pets.update(1, name="Rex"), client.pets.update(1, name="Rex")]
        self.assertEqual(results[0], results[1])
        removed = client.pets.remove(1)
        self.assertEqual([one.response.etag for one in results] + [removed.etag], ['"0"', '"1"', '"2"'])
        self.assertEqual(client.key.usage().response.etag, '"3"')

    def test_says_that_a_connection_was_refused(self):
        for address, said in (
            (REFUSING_URL, r"^127\.0\.0\.1:\d+ refused the connection\.$"),
            (REFUSING_URL.replace("127.0.0.1", "localhost"), r"^localhost:\d+ refused the connection\.$"),
            ("http://nowhere.invalid/v1", r"^The name of nowhere\.invalid cannot be resolved\.$"),
        ):
            with self.assertRaises(petstore.ConnectionError) as raised:
                self.time.client(address, max_retries=0).rate_limits.get()
            self.assertRegex(raised.exception.message, said)

    def test_asks_for_a_page_with_a_parameter_for_each_id_and_in_the_given_order(self):
        self.client().pets.list(ids=[1, 2], sort="-id").page()
        self.client().orders.list(sort="-id").page()
        self.client().categories.pets(1, sort="-id").page()
        self.assertEqual(
            self.paths(),
            ["/v1/pets?ids=1&ids=2&sort=-id", "/v1/store/orders?sort=-id", "/v1/categories/1/pets?sort=-id"],
        )

    def test_asks_for_no_ids_in_a_way_that_the_service_refuses_instead_of_for_all_pets(self):
        empty = ([], (), range(0), set(), frozenset(), {}, {}.keys(), iter(()), (n for n in ()), map(int, []))
        for ids in empty:
            self.client().pets.list(ids=ids).page()
        self.assertEqual(self.paths(), ["/v1/pets?ids="] * len(empty))

    def test_reads_the_ids_of_a_generator_once_and_no_further_than_the_service_could_take(self):
        self.service.responses = [page([1], cursor="next"), page([2]), page([1, 2])]
        pets = self.client().pets.list(ids=(n for n in (1, 2)))
        for _ in range(2):
            self.assertEqual([pet.id for pet in pets], [1, 2])
        self.assertEqual(
            self.paths()[:3], ["/v1/pets?ids=1&ids=2", "/v1/pets?ids=1&ids=2&cursor=next", "/v1/pets?ids=1&ids=2"]
        )
        endless = itertools.count(1)
        self.client().pets.list(ids=endless).page()
        self.assertEqual(self.paths()[-1].count("ids="), 101)
        self.assertEqual(next(endless), 102)

    def test_takes_no_single_value_where_several_are_expected(self):
        for one in ("12", "", b"12", bytearray(b"1"), memoryview(b"1"), 12, object()):
            with self.assertRaisesRegex(TypeError, "^`ids` takes several values, such as a list, not "):
                self.client().pets.list(ids=one)
            with self.assertRaisesRegex(TypeError, "^`types` takes several values"):
                self.client().webhooks.create(url="https://example.com", types=one)
        self.assertEqual(self.paths(), [])

    def test_reads_the_feed_to_an_empty_page_whose_cursor_leads_to_what_comes_later(self):
        event = {"id": 1, "type": "unknown", "version": 1, "occurredAt": "2026-11-20T09:30:00.000Z", "data": {}}
        links = [{"Link": f'</v1/events?cursor={cursor}>; rel="next"'} for cursor in ("one", "two", "three")]
        bodies = ([event], [], [])
        self.service.responses = [ScriptedResponse(headers=links[n], body=body) for n, body in enumerate(bodies)]
        events = self.client().events
        cursors = [page.next_cursor for page in events.list(limit=1).pages()]
        self.assertEqual(cursors, ["one", "two"])
        self.assertEqual(list(events.list(cursor=cursors[-1])), [])
        self.assertEqual(
            self.paths(), ["/v1/events?limit=1", "/v1/events?limit=1&cursor=one", "/v1/events?cursor=two"]
        )

    def test_lists_events_as_classes_of_their_types(self):
        event = {"id": 1, "type": "pet.created", "version": 1, "occurredAt": "2026-11-20T09:30:00Z", "data": REX}
        self.service.responses = [ScriptedResponse(body=[event, {**event, "type": "pet.named", "data": {"a": 1}}])]
        created, unknown = self.client().events.list().page().items
        self.assertIsInstance(created, petstore.PetCreatedEvent)
        self.assertEqual(created.data, petstore.Pet(BEYOND_DOUBLES, "Rex", 7, "available"))
        self.assertEqual((type(unknown), unknown.data), (petstore.Event, {"a": 1}))


class Pages(ClientTest):
    def test_follows_them_with_the_cursor_of_each_at_its_own_address_only(self):
        self.service.responses = [page([1], "one"), page([], "two"), page([2])]
        found = list(self.client().pets.list(limit=1, status="sold"))
        self.assertEqual([pet.id for pet in found], [1, 2])
        first = "/v1/pets?status=sold&limit=1"
        self.assertEqual(self.paths(), [first, f"{first}&cursor=one", f"{first}&cursor=two"])

    def test_takes_the_cursor_from_an_address_that_is_otherwise_invalid(self):
        link = {"Link": '<http://[?cursor=one>; rel="next"'}
        self.service.responses = [ScriptedResponse(headers=link, body=[]), page([2])]
        self.assertEqual(len(list(self.client().pets.list())), 1)
        self.assertEqual(self.paths(), ["/v1/pets", "/v1/pets?cursor=one"])

    def test_asks_for_no_page_that_is_not_needed(self):
        self.service.responses = [page([1, 2], "one")]
        listing = self.client().pets.list()
        self.assertEqual(self.service.received, [])
        for pet in listing:
            if pet.id == 2:
                break
        self.assertEqual(len(self.service.received), 1)

    def test_come_one_by_one_each_with_its_response(self):
        self.service.responses = [page([1], "one"), page([2])]
        pages = list(self.client().pets.list().pages())
        self.assertEqual([(one.next_cursor, one.response.status) for one in pages], [("one", 200), (None, 200)])

    def test_raises_not_modified_while_the_etag_still_holds(self):
        self.service.responses = [ScriptedResponse(304, {"ETag": '"a"', "X-Request-Id": "r"})]
        with self.assertRaises(petstore.NotModifiedError) as raised:
            self.client().pets.list().page(if_none_match='"a"')
        self.assertEqual((raised.exception.code, raised.exception.request_id), ("not_modified", "r"))
        self.assertEqual(self.service.received[0].headers["If-None-Match"], '"a"')


class Responses(ClientTest):
    def test_tell_where_the_key_stands_also_those_that_are_refusals(self):
        client = self.client()
        self.service.responses = [ScriptedResponse(404, QUOTA, {"code": "pet_not_found", "message": "No.", "status": 404})]
        with self.assertRaises(petstore.NotFoundError) as raised:
            client.rate_limits.get()
        window = petstore.RateLimitWindow
        self.assertEqual(
            raised.exception.response,
            petstore.ResponseInfo(
                operation="getRateLimit",
                status=404,
                request_id="r-1",
                rate_limit=petstore.RateLimitState(
                    limit=60,
                    remaining=59,
                    reset=1_795_132_860,
                    windows=(window("minute", 60, 60, 59, 60), window("day", 1000, 86_400, 811, 51_022)),
                ),
                etag=None,
                idempotent_replayed=False,
            ),
        )

    def test_are_shown_to_on_response_one_by_one(self):
        replayed = ScriptedResponse(headers={"ETag": '"a"', "Idempotent-Replayed": "true"}, body=REX)
        self.service.responses = [ScriptedResponse(503), replayed]
        seen = []
        client = self.client(on_response=seen.append)
        added = client.pets.create(name="Rex", category_id=7)
        told = [(one.status, one.etag, one.idempotent_replayed) for one in seen]
        self.assertEqual(told, [(503, None, False), (200, '"a"', True)])
        self.assertIs(added.response, seen[1])

    def test_that_are_not_what_the_document_says_are_an_error(self):
        for body in ("", "null", "[]", '"text"', '{"plan": "free"}', '{"plan": "free", "minute": 1, "day": 2}'):
            with self.subTest(body=body):
                self.service.responses = [ScriptedResponse(body=body)]
                self.assertEqual(self.failure().code, "invalid_response")
        for events in ([{}], [1], [{"type": "pet.created"}], [{"type": []}]):
            with self.subTest(events=events), self.assertRaises(petstore.PetstoreError) as raised:
                self.service.responses = [ScriptedResponse(body=events)]
                self.client().events.list().page()
            self.assertEqual(raised.exception.code, "invalid_response")
        self.service.responses = [ScriptedResponse(body="{}")]
        with self.assertRaises(petstore.PetstoreError):
            list(self.client().pets.list())


class Errors(ClientTest):
    def test_are_not_replaced_by_one_of_python_when_a_number_has_thousands_of_digits(self):
        digits = "9" * 5_000
        for name in ("Retry-After", "X-RateLimit-Limit", "RateLimit"):
            headers = {"X-RateLimit-Limit": "1", "X-RateLimit-Remaining": "1", "X-RateLimit-Reset": "1"}
            headers[name] = f'"minute";r={digits}' if name == "RateLimit" else digits
            self.service.responses = [ScriptedResponse(429, headers)]
            with self.subTest(name=name), self.assertRaises(petstore.RateLimitError):
                self.client(max_retries=0).rate_limits.get()

    def test_each_code_has_a_class(self):
        for status, code, kind in (
            (400, "validation_failed", petstore.ValidationError),
            (401, "invalid_api_key", petstore.AuthenticationError),
            (403, "insufficient_scope", petstore.PermissionError),
            (404, "pet_not_found", petstore.NotFoundError),
            (409, "some_conflict", petstore.ConflictError),
            (410, "endpoint_removed", petstore.GoneError),
            (413, "payload_too_large", petstore.InvalidRequestError),
            (422, "idempotency_key_reused", petstore.ConflictError),
            (422, "something_else", petstore.ValidationError),
            (429, "api_key_banned", petstore.RateLimitError),
            (500, "internal_error", petstore.ServerError),
            (599, "something_new", petstore.ServerError),
        ):
            with self.subTest(code=code):
                details = [
                    {"in": "body", "field": "name", "pointer": "/name", "code": "type", "message": "No text"},
                    {"in": "query", "field": "limit", "code": "range", "message": "Too large"},
                ]
                body = {"code": code, "message": "No.", "status": status, "details": details}
                self.service.responses = [ScriptedResponse(status, {"X-Request-Id": "r-1"}, body)]
                error = self.failure()
                self.assertIs(type(error), kind)
                self.assertEqual((error.status, error.code, error.request_id), (status, code, "r-1"))
                first = petstore.FieldError("body", "name", "type", "No text", "/name")
                self.assertEqual(error.details, (first, petstore.FieldError("query", "limit", "range", "Too large")))
                self.assertEqual(str(error), f"{status} {code}: No. (request r-1)")
                self.assertEqual(pickle.loads(pickle.dumps(error)).__dict__, error.__dict__)

    def test_understands_a_body_that_is_not_from_the_service(self):
        for body in ("<html>", "", "[]", '"text"', "null", '{"code":1,"message":{},"details":"x"}', '{"details":[1]}'):
            with self.subTest(body=body):
                self.service.responses = [ScriptedResponse(502, body=body)]
                error = self.failure()
                self.assertEqual((error.code, error.message, error.details), ("unknown", "502 Bad Gateway", ()))


if __name__ == "__main__":
    unittest.main()

import unittest

import petstore
from petstore.operations import Operation
from petstore.errors import Problem
from petstore.retry import is_worth_another_try

from scripted_service import ScriptedResponse, ScriptedService, SimulatedTime

BROKEN = ScriptedResponse(instead="broken")


def status(code, **headers):
    return ScriptedResponse(code, {name.replace("_", "-"): value for name, value in headers.items()}, "no JSON")


def retry_after(value):
    return status(429, Retry_After=str(value))


def problem(code, response):
    return ScriptedResponse(response.status, response.headers, {"code": code, "message": "No.", "status": response.status})


class RetryTest(unittest.TestCase):
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


class Waiting(RetryTest):
    def test_backs_off_exponentially_with_full_jitter_where_there_is_no_retry_after(self):
        self.service.responses = [status(503), status(502), status(504), status(503)]
        list(self.client().pets.list())
        self.assertEqual(self.time.waits, [0.25, 0.5, 1, 2])
        self.assertEqual(len(self.service.received), 5)

    def test_never_waits_longer_than_its_bound_and_may_wait_next_to_nothing(self):
        self.service.responses = [status(503) for _ in range(9)]
        list(self.client(max_retries=9, total_timeout=1e9).pets.list())
        self.assertEqual(self.time.waits[-3:], [15, 15, 15])
        self.service.responses = [status(503)]
        self.time.random = 0
        list(self.client().pets.list())
        self.assertEqual(self.time.waits[-1], 0)

    def test_waits_for_retry_after_and_the_back_off(self):
        self.service.responses = [retry_after(1), retry_after(2), retry_after(3)]
        list(self.client().pets.list())
        self.assertEqual(self.time.waits, [1.25, 2.5, 4])

    def test_understands_a_retry_after_that_is_a_date_and_ignores_what_is_neither(self):
        self.service.responses = [
            retry_after("Thu, 01 Jan 2026 00:00:07 GMT"),
            retry_after("Thu, 01 Jan 1970 00:00:00 GMT"),
            retry_after("soon"),
        ]
        list(self.client().pets.list())
        self.assertEqual(self.time.waits, [7.25, 0.5, 1])


class Limits(RetryTest):
    def test_gives_up_after_its_retries_with_the_last_response(self):
        self.service.responses = [status(502), status(503), status(504)]
        with self.assertRaises(petstore.ServerError) as raised:
            list(self.client(max_retries=2).pets.list())
        self.assertEqual((raised.exception.status, raised.exception.code), (504, "unknown"))
        self.assertEqual(raised.exception.message, "504 Gateway Timeout")
        self.assertEqual(len(self.time.waits), 2)

    def test_takes_the_retries_of_one_call_from_its_options(self):
        self.service.responses = [status(503)]
        with self.assertRaises(petstore.ServerError):
            self.client().rate_limits.get(options=petstore.RequestOptions(max_retries=0))
        self.assertEqual(len(self.service.received), 1)

    def test_fails_at_once_when_the_wait_would_end_beyond_the_total_time(self):
        self.service.responses = [problem("daily_quota_exceeded", retry_after(51022))]
        with self.assertRaises(petstore.RateLimitError) as raised:
            self.client().rate_limits.get()
        self.assertEqual((raised.exception.code, raised.exception.retry_after), ("daily_quota_exceeded", 51022))
        self.assertEqual(self.time.waits, [])

    def test_counts_the_waits_into_the_total_time(self):
        self.service.responses = [retry_after(3), retry_after(3)]
        with self.assertRaises(petstore.RateLimitError):
            self.client(total_timeout=5).rate_limits.get()
        self.assertEqual(self.time.waits, [3.25])

    def test_ends_a_try_without_a_response_after_its_time(self):
        self.service.responses = [ScriptedResponse(instead="silence"), ScriptedResponse(instead="silence")]
        with self.assertRaises(petstore.TimeoutError) as raised:
            self.client(timeout=0.1, max_retries=1).rate_limits.get()
        error = raised.exception
        self.assertEqual(error.code, "timeout")
        self.assertRegex(error.message, r"^No complete response from 127\.0\.0\.1:\d+ within 0\.1 s\.$")
        self.service.wait_for(2)
        self.assertEqual(error.request_id, self.service.received[1].headers["X-Request-Id"])
        self.assertEqual(self.time.waits, [0.25])

    def test_ends_a_response_that_trickles_in(self):
        times = iter(range(1000))
        client = self.client(timeout=5, max_retries=0, runtime=petstore.Runtime(clock=lambda: 4 * next(times)))
        self.service.responses = [ScriptedResponse(body="x" * 300_000)]  # several pieces, 4 s each
        with self.assertRaises(petstore.TimeoutError):
            client.rate_limits.get()


class WhatIsTriedAgain(RetryTest):
    def add(self, client, **options):
        self.service.responses.append(
            ScriptedResponse(201, body={"id": 1, "name": "Rex", "categoryId": 7, "status": "available"})
        )
        return client.pets.create(name="Rex", category_id=7, **options)

    def test_a_request_without_a_response_or_with_half_of_one(self):
        self.service.responses = [BROKEN, ScriptedResponse(instead="half")]
        list(self.client().pets.list())
        self.assertEqual(len(self.service.received), 3)
        self.assertEqual(self.time.waits, [0.25, 0.5])

    def test_raises_a_connection_error_when_no_try_gets_a_response(self):
        self.service.responses = [BROKEN, BROKEN]
        with self.assertRaises(petstore.ConnectionError) as raised:
            self.client(max_retries=1).rate_limits.get()
        self.assertEqual((raised.exception.code, raised.exception.status), ("connection_failed", None))
        self.assertIsNotNone(raised.exception.__cause__)

    def test_a_post_with_the_same_idempotency_key_each_time(self):
        self.service.responses = [
            problem("rate_limit_exceeded", status(429)),
            problem("service_unavailable", status(503)),
            problem("idempotency_in_progress", status(409, Retry_After="1")),
            BROKEN,
        ]
        client = self.client()
        self.add(client)
        self.add(client)
        keys = [request.headers["Idempotency-Key"] for request in self.service.received]
        self.assertEqual(len(keys), 6)
        self.assertEqual(len(set(keys[:5])), 1)
        self.assertEqual(len(set(keys)), 2)
        self.assertRegex(keys[0], r"^[0-9a-f]{32}$")
        self.assertEqual({request.body for request in self.service.received}, {'{"name": "Rex", "categoryId": 7}'})
        self.assertEqual(len({request.headers["X-Request-Id"] for request in self.service.received}), 6)
        self.assertEqual(self.time.waits, [0.25, 0.5, 2, 2])

    def test_takes_an_idempotency_key_of_the_caller(self):
        self.service.responses = [status(503)]
        self.add(self.client(), idempotency_key="rex-of-this-morning")
        keys = [request.headers["Idempotency-Key"] for request in self.service.received]
        self.assertEqual(keys, ["rex-of-this-morning"] * 2)

    def test_nothing_after_other_refusals(self):
        for code in (400, 401, 403, 404, 409, 410, 422, 500):
            with self.subTest(code=code):
                self.service.reset()
                self.service.responses = [problem("some_code", status(code, Retry_After="1"))]
                with self.assertRaises(petstore.PetstoreError) as raised:
                    self.client().pets.create(name="Rex", category_id=7)
                self.assertEqual(raised.exception.status, code)
                self.assertEqual(len(self.service.received), 1)

    def test_a_delete_is_done_when_a_retry_gets_404(self):
        for first in (BROKEN, status(503)):
            with self.subTest(first=first):
                self.service.responses = [first, problem("pet_not_found", status(404))]
                self.assertEqual(self.client().pets.remove(7).status, 404)

    def test_a_delete_is_not_done_when_404_has_another_reason(self):
        not_found = problem("pet_not_found", status(404))
        for responses in (
            [not_found],
            [status(429), not_found],  # a 429 deletes nothing
            [BROKEN, status(404)],  # from a proxy
            [BROKEN, problem("route_not_found", status(404))],
        ):
            with self.subTest(responses=responses):
                self.service.responses = [*responses]
                with self.assertRaises(petstore.NotFoundError):
                    self.client().pets.remove(7)
                self.assertEqual(self.service.responses, [])

    def test_of_an_operation_that_may_be_done_twice_only_what_was_refused_before_it_began(self):
        post = Operation("x", "POST", "/x")
        refused = petstore.RateLimitError(Problem("x", "x", 429))
        self.assertTrue(is_worth_another_try(post, refused))
        for error in (
            petstore.ServerError(Problem("x", "x", 503)),
            petstore.ConnectionError(Problem("x", "x")),
            petstore.ConflictError(Problem("idempotency_in_progress", "x", 409)),
        ):
            self.assertFalse(is_worth_another_try(post, error))
            self.assertTrue(is_worth_another_try(Operation("x", "POST", "/x", takes_idempotency_key=True), error))
            for method in ("GET", "PUT", "DELETE"):
                self.assertTrue(is_worth_another_try(Operation("x", method, "/x"), error))


if __name__ == "__main__":
    unittest.main()

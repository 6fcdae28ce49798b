import asyncio
import contextlib
import gc
import json
import os
import re
import signal
import threading
import unittest
import warnings

import httpx
import petstore

from scripted_service import ScriptedResponse, ScriptedService
from test_create_many import Store, some


def pet(number):
    return {"id": int(number), "name": f"Pet {number}", "categoryId": 1, "status": "available"}


def the_pet_asked_for(request):
    return ScriptedResponse(body=[pet(number) for number in re.findall(r"ids=(\d+)", request.path)])


@contextlib.contextmanager
def no_warning_of(category):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", category)
        yield


def fork(work):
    """Runs it in a child process. Returns a function that waits for its end, and returns what it has returned or how it failed."""
    reading, writing = os.pipe()
    with no_warning_of(DeprecationWarning):  # the threads of the service are not needed in the child
        process = os.fork()
    if process == 0:
        signal.alarm(60)  # ends a child that hangs
        try:
            result = work()
        except BaseException as error:
            result = repr(error)
        os.write(writing, json.dumps(result).encode())
        os._exit(0)
    os.close(writing)

    def result_of():
        with os.fdopen(reading) as pipe:
            printed = pipe.read()
        os.waitpid(process, 0)
        return json.loads(printed)

    return result_of


class ConnectionsTest(unittest.TestCase):
    def setUp(self):
        self.service = ScriptedService()
        self.service.respond = the_pet_asked_for
        self.addCleanup(self.service.stop)

    def client(self, kind=petstore.PetstoreClient, **options):
        return kind(url=self.service.url, api_key="petstore_x", **{"max_retries": 0, **options})

    def synchronous_client(self, **options):
        client = self.client(**options)
        self.addCleanup(client.close)
        return client

    def used(self):
        """The connection of each request."""
        return [request.connection for request in self.service.received]


@unittest.skipUnless(hasattr(os, "fork"), "This system has no fork.")
class AClientAfterAFork(ConnectionsTest):
    def test_gets_the_pet_that_it_asks_for_in_each_process(self):
        client = self.synchronous_client()
        client.pets.get(1)

        def wrong(first):
            return [found for number in range(first, first + 60) if (found := client.pets.get(number).id) != number]

        children = [fork(lambda first=first: wrong(first)) for first in (1000, 2000, 3000)]
        self.assertEqual([wrong(4000), *(result_of() for result_of in children)], [[], [], [], []])

    def test_has_a_connection_of_its_own_and_leaves_that_of_the_parent_open(self):
        with self.client() as client:
            client.pets.get(1)

            def leave_the_block():
                with client:
                    return [client.pets.get(number).id for number in (2, 3)]

            self.assertEqual(fork(leave_the_block)(), [2, 3])
            self.assertIsNone(fork(client.close)())
            client.pets.get(4)
        self.assertEqual(self.used(), [1, 2, 2, 1])

    def test_has_one_in_a_grandchild(self):
        client = self.synchronous_client()
        client.pets.get(1)
        result_of = fork(lambda: [client.pets.get(2).id, fork(lambda: client.pets.get(3).id)(), client.pets.get(4).id])
        self.assertEqual((result_of(), self.used()), ([2, 3, 4], [1, 2, 3, 2]))

    def test_reads_the_rest_of_a_list_that_the_parent_began(self):
        def respond(request):
            number = int((re.findall(r"cursor=(\d+)", request.path) or ["1"])[0])
            link = {"Link": f'</v1/pets?cursor={number + 1}>; rel="next"'} if number < 5 else {}
            return ScriptedResponse(200, link, [pet(number)])

        self.service.respond = respond
        pets = iter(self.synchronous_client().pets.list())
        self.assertEqual(next(pets).id, 1)
        result_of = fork(lambda: [one.id for one in pets])
        self.assertEqual(([one.id for one in pets], result_of()), ([2, 3, 4, 5], [2, 3, 4, 5]))
        self.assertEqual(sorted(self.used()), [1] * 5 + [2] * 4)

    def test_waits_for_no_call_of_another_thread_of_the_parent(self):
        client, arrived, released = self.synchronous_client(), threading.Event(), threading.Event()

        def respond(request):
            if "ids=1" in request.path:
                arrived.set()
                released.wait()
            return the_pet_asked_for(request)

        self.service.respond = respond
        found = []
        thread = threading.Thread(target=lambda: found.append(client.pets.get(1).id))
        thread.start()
        arrived.wait()
        self.assertEqual(fork(lambda: client.pets.get(2).id)(), 2)
        released.set()
        thread.join()
        self.assertEqual((found, self.used()), ([1], [1, 2]))

    def test_refuses_an_http_client_that_another_process_has_used(self):
        with httpx.Client() as own:
            client = self.synchronous_client(http_client=own)
            client.pets.get(1)
            self.assertEqual(
                fork(lambda: client.pets.get(2).id)(),
                "RuntimeError('The http_client was used in another process: give each a client of its own.')",
            )
            client.pets.get(3)
        self.assertEqual(self.used(), [1, 1])

    def test_takes_an_http_client_that_no_process_has_used(self):
        with httpx.Client() as own:
            client = self.synchronous_client(http_client=own)
            self.assertEqual(fork(lambda: client.pets.get(1).id)(), 1)
            self.assertEqual(client.pets.get(2).id, 2)

    def test_adds_no_pet_twice_when_both_processes_go_on_with_many(self):
        store, one_at_a_time = Store(100), threading.Lock()

        def respond(request):
            with one_at_a_time:
                return store.respond(request)

        self.service.respond = respond
        processes = []

        def pets():
            yield from some(150)
            with no_warning_of(DeprecationWarning):
                processes.append(os.fork())
            yield from some(250)[150:]

        client, names = self.synchronous_client(), []
        try:
            names += [one.name for one in client.pets.create_many(pets(), idempotency_key="import")]
        finally:
            if processes == [0]:
                os._exit(0 if names == [one.name for one in some(250)] else 1)
        self.assertEqual(os.waitpid(processes[0], 0)[1], 0)
        self.assertEqual((names, store.pets), ([one.name for one in some(250)], names))
        self.assertEqual(set(self.used()), {1, 2})


class AnAsyncClient(ConnectionsTest):
    """One event loop ends with an open connection, of which Python warns."""

    def async_client(self, **options):
        return self.client(petstore.AsyncPetstoreClient, **options)

    def test_has_connections_of_its_own_in_each_event_loop(self):
        client = self.async_client()

        async def pets(*numbers):
            return [(await client.pets.get(number)).id for number in numbers]

        with no_warning_of(ResourceWarning):
            self.assertEqual([asyncio.run(pets(*numbers)) for numbers in ((1, 2), (3, 4), (5,))], [[1, 2], [3, 4], [5]])
            del client, pets
            gc.collect()
        self.assertEqual(self.used(), [1, 1, 2, 2, 3])

    def test_adds_a_pet_in_each_event_loop(self):
        self.service.respond = lambda _: ScriptedResponse(201, body=pet(7))
        client = self.async_client()

        async def add():
            return (await client.pets.create(name="Rex", category_id=1)).id

        with no_warning_of(ResourceWarning):
            self.assertEqual([asyncio.run(add()), asyncio.run(add())], [7, 7])
            del client, add
            gc.collect()
        self.assertEqual(len({request.headers["Idempotency-Key"] for request in self.service.received}), 2)

    def test_works_in_the_loops_of_several_threads_at_once(self):
        client, all_are_running = self.async_client(), threading.Barrier(3)
        wrong = []

        async def run(first):
            await client.pets.get(first)
            all_are_running.wait()
            wrong.extend([number for number in range(first, first + 20) if (await client.pets.get(number)).id != number])

        threads = [threading.Thread(target=lambda first=first: asyncio.run(run(first))) for first in (100, 200, 300)]
        with no_warning_of(ResourceWarning):
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            del client, run, thread, threads
            gc.collect()
        self.assertEqual((wrong, sorted(set(self.used())), len(self.used())), ([], [1, 2, 3], 63))

    def test_refuses_an_http_client_that_another_event_loop_has_used(self):
        async def get(client, number):
            return (await client.pets.get(number)).id

        own = httpx.AsyncClient()
        client = self.async_client(http_client=own)
        self.assertEqual(asyncio.run(get(client, 1)), 1)
        message = "^The http_client was used in another process or event loop: give each a client of its own.$"
        with no_warning_of(ResourceWarning):
            with self.assertRaisesRegex(RuntimeError, message):
                asyncio.run(get(client, 2))
            del own, client
            gc.collect()
        self.assertEqual(self.used(), [1])

    def test_is_closed_for_the_event_loop_that_closes_it(self):
        client = self.async_client()

        async def run(*numbers):
            async with client:
                found = [(await client.pets.get(number)).id for number in numbers]
            with self.assertRaisesRegex(RuntimeError, "^The client is closed.$"):
                await client.pets.get(9)
            return found

        self.assertEqual([asyncio.run(run(1, 2)), asyncio.run(run()), asyncio.run(run(3))], [[1, 2], [], [3]])
        self.assertEqual(self.used(), [1, 1, 2])

    @unittest.skipUnless(hasattr(os, "fork"), "This system has no fork.")
    def test_has_connections_of_its_own_after_a_fork(self):
        async def run():
            async with self.async_client() as client:

                async def get(number):
                    return (await client.pets.get(number)).id

                return [await get(1), fork(lambda: asyncio.run(get(2)))(), await get(3)]

        self.assertEqual((asyncio.run(run()), self.used()), ([1, 2, 3], [1, 2, 1]))


if __name__ == "__main__":
    unittest.main()

import asyncio
import unittest

import petstore

from scripted_service import REFUSING_URL, ScriptedResponse, ScriptedService

REX = {"id": 9_007_199_254_740_993, "name": "Rex", "categoryId": 7, "status": "available"}


class AnAsyncClient(unittest.IsolatedAsyncioTestCase):
    """The synchronous client is made from this one, so its tests are for both. Here is what differs."""

    def setUp(self):
        self.service = ScriptedService()
        self.addCleanup(self.service.stop)
        self.waits = []

    async def sleep(self, seconds):
        self.waits.append(seconds)

    def client(self, url=None, **options):
        runtime = petstore.AsyncRuntime(sleep=self.sleep, random=lambda: 0.5)
        return petstore.AsyncPetstoreClient(
            url=url or self.service.url, api_key="petstore_x", runtime=runtime, **options
        )

    async def test_awaits_a_result_with_its_response(self):
        self.service.responses = [ScriptedResponse(201, {"ETag": '"a"'}, REX)]
        async with self.client() as client:
            rex = await client.pets.create(name="Rex", category_id=7)
        self.assertEqual((rex.id, rex.response.etag), (REX["id"], '"a"'))

    async def test_follows_pages(self):
        link = {"Link": '<https://elsewhere.test/v1/pets?cursor=one>; rel="next"'}
        self.service.responses = [ScriptedResponse(headers=link, body=[REX]), ScriptedResponse(body=[REX])]
        async with self.client() as client:
            found = [pet.name async for pet in client.pets.list()]
        self.assertEqual((found, self.service.received[1].path), (["Rex", "Rex"], "/v1/pets?cursor=one"))

    async def test_waits_and_tries_again(self):
        self.service.responses = [ScriptedResponse(429, {"Retry-After": "3"}), ScriptedResponse(body=[])]
        async with self.client() as client:
            self.assertEqual([one async for one in client.webhooks.list()], [])
        self.assertEqual(self.waits, [3.25])

    async def test_a_delete_is_done_when_a_retry_gets_404(self):
        body = {"code": "pet_not_found", "message": "No.", "status": 404}
        self.service.responses = [ScriptedResponse(503), ScriptedResponse(404, body=body)]
        async with self.client() as client:
            self.assertEqual((await client.pets.remove(7)).status, 404)

    async def test_runs_calls_at_the_same_time(self):
        self.service.responses = [ScriptedResponse(body=[REX]) for _ in range(5)]
        async with self.client() as client:
            pages = await asyncio.gather(*(client.pets.list().page() for _ in range(5)))
        self.assertEqual([len(page.items) for page in pages], [1] * 5)

    async def test_ends_a_try_without_a_response_after_its_time(self):
        self.service.responses = [ScriptedResponse(instead="silence")]
        async with self.client(timeout=0.1, max_retries=0) as client:
            with self.assertRaises(petstore.TimeoutError):
                await client.key.get()

    async def test_says_that_a_connection_was_refused(self):
        for url in (REFUSING_URL, REFUSING_URL.replace("127.0.0.1", "localhost")):
            async with self.client(url=url, max_retries=0) as client:
                with self.assertRaisesRegex(petstore.ConnectionError, r":9 refused the connection"):
                    await client.key.get()


if __name__ == "__main__":
    unittest.main()

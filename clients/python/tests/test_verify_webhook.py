import base64
import hashlib
import hmac
import json
import unittest

import petstore

KEY = b"0123456789abcdef0123456789abcdef"
SECRET = "whsec_" + base64.b64encode(KEY).decode()
NOW = 1_795_132_800
BODY = (
    '{"id":9007199254740993,"type":"order.placed","version":1,"occurredAt":"2026-11-20T09:30:00.000Z",'
    '"data":{"id":1,"petId":42,"quantity":1,"status":"placed","createdAt":"2026-11-20T09:30:00.000Z"}}'
)


def headers_of(body=BODY, *, age=0, key=KEY):
    sent = NOW - age
    digest = hmac.new(key, f"4711.{sent}.{body}".encode(), hashlib.sha256).digest()
    signature = "v1," + base64.b64encode(digest).decode()
    return {"Webhook-Id": "4711", "webhook-timestamp": str(sent), "webhook-signature": signature}


def verify(body, headers, secret=SECRET):
    return petstore.verify_webhook(body, headers, secret, now=lambda: NOW)


class VerifyWebhook(unittest.TestCase):
    def test_returns_the_event_of_a_class_of_its_own(self):
        for body in (BODY, BODY.encode()):
            event = verify(body, headers_of())
            self.assertIsInstance(event, petstore.OrderPlacedEvent)
            self.assertEqual((event.id, event.data.pet_id), (9007199254740993, 42))

    def test_takes_bytes_of_any_kind(self):
        for body in (bytearray(BODY.encode()), memoryview(f"..{BODY}".encode())[2:]):
            self.assertEqual(verify(body, headers_of()).type, "order.placed")

    def test_names_a_body_that_is_parsed_already_as_the_mistake(self):
        for body in (json.loads(BODY), [], 5, True):
            with self.assertRaisesRegex(TypeError, f"as received.* A {type(body).__name__} seems to be parsed"):
                verify(body, headers_of())

    def test_names_a_body_that_is_not_there_as_the_mistake(self):
        with self.assertRaisesRegex(TypeError, "^The payload must be .* bytes. There is none.$"):
            verify(None, headers_of())

    def test_takes_either_signature_after_a_rotation(self):
        headers = headers_of()
        headers["webhook-signature"] = f"v1,AAAA v2,x {headers['webhook-signature']}"
        verify(BODY, headers)

    def test_refuses_what_the_service_has_not_signed_or_not_lately(self):
        for case, body, headers in (
            ("another body", BODY + " ", headers_of()),
            ("another key", BODY, headers_of(key=bytes(32))),
            ("an old message", BODY, headers_of(age=301)),
            ("a message from the future", BODY, headers_of(age=-301)),
            ("a missing header", BODY, {"webhook-id": "4711"}),
            ("a timestamp that is not one", BODY, {**headers_of(), "webhook-timestamp": "x"}),
            ("a timestamp of 5,000 digits", BODY, {**headers_of(), "webhook-timestamp": "9" * 5_000}),
            ("a signature outside ASCII", BODY, {**headers_of(), "webhook-signature": "v1,é"}),
            ("a signature with a lone surrogate", BODY, {**headers_of(), "webhook-signature": "v1,\ud800"}),
            ("an id with a lone surrogate", BODY, {**headers_of(), "Webhook-Id": "4711\udcff"}),
            ("a time with a lone surrogate", BODY, {**headers_of(), "webhook-timestamp": f"{NOW}\ud800"}),
            ("a body with a lone surrogate", BODY + "\udcff", headers_of()),
        ):
            with self.subTest(case), self.assertRaises(petstore.WebhookVerificationError) as raised:
                verify(body, headers)
            self.assertEqual(raised.exception.code, "invalid_signature")

    def test_says_that_a_secret_is_not_one(self):
        invalid = ("petstore_x", "whsec_", "whsec_%", "whsec_YQ", "whsec_YWJj=", "whsec_YQ== YQ==", "whsec_YQ==YQ==")
        for secret in (*invalid, "WHSEC_YQ==", SECRET.encode()):
            with self.subTest(secret), self.assertRaisesRegex(ValueError, "^The secret must .* whsec_ .* in base64.$"):
                verify(BODY, headers_of(), secret)

    def test_says_that_a_secret_is_not_set_before_it_looks_at_the_message(self):
        for secret in (None, ""):
            with self.assertRaisesRegex(ValueError, "^The secret must .* It is not set.$"):
                verify(BODY, {}, secret)

    def test_takes_a_secret_from_a_file(self):
        for secret in (SECRET + "\n", SECRET + "\r\n", f" {SECRET}\t"):
            self.assertEqual(verify(BODY, headers_of(), secret).type, "order.placed")


if __name__ == "__main__":
    unittest.main()

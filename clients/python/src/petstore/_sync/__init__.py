"""The synchronous client. Written by `unasync.py`."""

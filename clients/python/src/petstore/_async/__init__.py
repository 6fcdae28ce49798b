"""The asynchronous client. `unasync.py` writes the synchronous one from it."""

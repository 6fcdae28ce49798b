"""Adds the pets of a CSV file, whose columns are name, category_id and, if you like, status.

    pip install ./clients/python
    export PETSTORE_URL=http://127.0.0.1:3000/v1 PETSTORE_API_KEY=petstore_...
    python3 clients/examples/python/import_pets.py pets.csv

All lines are checked before the first is sent. If it is cut off, or the service refuses a line, run it again within 24 hours: no pet is
added twice. You may mend the lines that were not added yet.
"""

import argparse
import csv
import io
import re
import sys
import time
from pathlib import Path
from typing import get_args

try:
    import petstore
except ImportError as error:
    sys.exit(
        f"{error}: install the client with python3 -m venv .venv && . .venv/bin/activate && pip install ./clients/python"
    )

STATUSES = get_args(petstore.PetStatus)
MOST = 100  # pets in a request, of any plan
WIDTH = 20


def mistakes_of(name, category_id, status):
    """By the rules of `NewPet` in the OpenAPI document."""
    if not 1 <= len(name) <= 200:
        yield f"name must have 1 to 200 characters, not {len(name)}"
    elif "\0" in name or name.isspace():
        yield "name must not be blank or contain U+0000"
    if not re.fullmatch("[+-]?[0-9]{1,19}", category_id) or not -(2**63) <= int(category_id) < 2**63:
        yield f"category_id must be an integer of 64 bits, not {category_id!r}"
    if status not in ("", *STATUSES):
        yield f"status must be {', '.join(STATUSES)} or empty, not {status!r}"


def pets_of(content):
    """The pets and the line in which each begins. Raises ValueError with all mistakes."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ValueError(f"line {line}: is not UTF-8; save the file as CSV UTF-8") from error
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    pets, lines, mistakes, line = [], [], [], 1
    try:
        columns = next(rows, [])
        if sorted(columns) not in (["category_id", "name"], ["category_id", "name", "status"]):
            first = ",".join(columns)
            raise ValueError(f"line 1: must be name,category_id or name,category_id,status, not {first[:80]!r}")
        line = rows.line_num + 1
        for values in rows:
            given = {"status": "", **dict(zip(columns, values))}
            if len(values) > len(columns) or not given.keys() >= {"name", "category_id"}:
                found = [f"has {len(values)} values for the {len(columns)} columns"]
            else:
                found = list(mistakes_of(**given))
            if values and found:  # an empty line has no values
                mistakes += [f"line {line}: {mistake}" for mistake in found]
            elif values:
                pets.append(petstore.NewPet(given["name"], int(given["category_id"]), given["status"] or None))
                lines.append(line)
            line = rows.line_num + 1
    except csv.Error as error:
        mistakes.append(f"line {line}: is not CSV ({error})")
    if mistakes:
        raise ValueError("\n".join(mistakes))
    return pets, lines


class Progress:
    """A bar on a terminal. Elsewhere it says only what it waits for."""

    def __init__(self, total):
        self.total, self.done, self.is_shown = total, 0, False

    def added(self, done, _):
        self.done = done
        self.show()

    def answered(self, response):
        seconds = response.retry_after or 0
        if response.status == 429 and seconds > 2:  # below, it is the rate of batches
            until = time.strftime("%a %H:%M:%S", time.localtime(time.time() + seconds))
            self.show(f", waits for the quota until {until}")

    def show(self, note=""):
        text = f"{self.done} of {self.total}{note}"
        if sys.stderr.isatty():
            bar = "#" * (WIDTH * self.done // self.total)
            self.is_shown = self.done < self.total
            end = "" if self.is_shown else "\n"
            print(f"\r\x1b[K[{bar:<{WIDTH}}] {text}", end=end, file=sys.stderr, flush=True)
        elif note:
            print(text, file=sys.stderr, flush=True)


def explained(error, lines):
    """With the lines of the file for the places in the list."""
    added = len(error.created)
    if error.code == "idempotency_key_reused":
        last = lines[min(added + MOST, len(lines)) - 1]
        return (
            f"lines {lines[added]} to {last}: something has changed since pets of these lines were added; "
            "restore them or, if this is another file, give it a --run of its own"
        )
    if not error.details:
        return str(error)
    return "\n".join(
        [f"{added} pets were added, then the service refused (request {error.request_id}):"]
        + [
            re.sub(r"^pets\.(\d+)\.?", lambda found: f"line {lines[int(found[1])]}: ", detail.message)
            for detail in error.details
        ]
    )


def main():
    arguments = argparse.ArgumentParser(description="Adds the pets of a CSV file.")
    arguments.add_argument("file", type=Path, help="with the columns name, category_id and, if you like, status")
    arguments.add_argument("--run", help="a name for this import, by which a further run knows it (default: the name of the file)")
    given = arguments.parse_args()
    progress = Progress(0)

    def fail(message, code=1):
        print(f"\n{message}" if progress.is_shown else message, file=sys.stderr)
        sys.exit(code)

    try:
        content = given.file.read_bytes()
        if not content:
            fail(f"{given.file} is empty.")
        pets, lines = pets_of(content)
        progress.total = len(pets)
        client = petstore.PetstoreClient(on_response=progress.answered)  # reads PETSTORE_URL and PETSTORE_API_KEY
        added = client.pets.create_many(
            pets,
            idempotency_key=given.run or given.file.name,  # not made from the content, which changes when it is mended
            on_progress=progress.added,
        )
        print(f"{len(added)} pets were added.")
    except petstore.CreateManyError as error:
        fail(explained(error, lines))
    except (petstore.PetstoreError, OSError, ValueError) as error:  # ValueError: the file, no address, or no key
        fail(error)
    except KeyboardInterrupt:
        fail(f"Stopped after {progress.done} of {progress.total} pets: run it again to add the others.", 130)


if __name__ == "__main__":
    main()

"""Adds the pets of a CSV file, whose columns are name, category_id and, if you like, status.

    pip install ./clients/python
    export PETSTORE_URL=http://127.0.0.1:3000/v1 PETSTORE_API_KEY=petstore_...
    python3 clients/examples/python/import_pets.py pets.csv

If it is cut off, run it again within 24 hours, with the same file: no pet is added twice.
"""

import argparse
import csv
import hashlib
import io
import sys
from pathlib import Path

import petstore

WIDTH = 40


def pet_of(row, line):
    try:
        return petstore.NewPet(
            name=row["name"], category_id=int(row["category_id"]), status=row.get("status") or None
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"line {line}: {error!r}. A line is name,category_id,status") from error


def show(done, total):
    if sys.stderr.isatty():
        bar = "#" * (WIDTH * done // total)
        print(f"\r[{bar:<{WIDTH}}] {done} of {total}", end="\n" if done == total else "", file=sys.stderr, flush=True)


def main():
    arguments = argparse.ArgumentParser(description="Adds the pets of a CSV file.")
    arguments.add_argument("file", type=Path, help="with the columns name, category_id and, if you like, status")
    file = arguments.parse_args().file

    try:
        content = file.read_bytes()
        rows = csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline=""))
        pets = [pet_of(row, rows.line_num) for row in rows]
        client = petstore.PetstoreClient()  # reads PETSTORE_URL and PETSTORE_API_KEY
        added = client.pets.create_many(
            pets,
            idempotency_key=hashlib.sha256(content).hexdigest(),  # a second run of the same file adds nothing
            on_progress=lambda done, _: show(done, len(pets)),
        )
        print(f"{len(added)} pets were added.")
    except petstore.CreateManyError as error:
        sys.exit(f"\n{error}" if sys.stderr.isatty() else str(error))
    except (petstore.PetstoreError, OSError, ValueError) as error:  # ValueError: the file, no address, or no key
        sys.exit(str(error))


if __name__ == "__main__":
    main()

"""Lists pets, or adds one.

    pip install ./clients/python
    export PETSTORE_URL=http://127.0.0.1:3000/v1 PETSTORE_API_KEY=petstore_...
    python3 clients/examples/python/main.py list
    python3 clients/examples/python/main.py add Rex 1
"""

import argparse
import sys

try:
    import petstore
except ImportError as error:
    sys.exit(
        f"{error}: install the client with python3 -m venv .venv && . .venv/bin/activate && pip install ./clients/python"
    )


def main():
    arguments = argparse.ArgumentParser(description="Lists pets, or adds one.")
    commands = arguments.add_subparsers(dest="command", required=True)
    listing = commands.add_parser("list", help="list all pets")
    listing.add_argument("--status", choices=["available", "pending", "sold"])
    adding = commands.add_parser("add", help="add a pet")
    adding.add_argument("name")
    adding.add_argument("category_id", type=int)
    chosen = arguments.parse_args()

    try:
        client = petstore.PetstoreClient()  # reads PETSTORE_URL and PETSTORE_API_KEY
        if chosen.command == "add":
            pet = client.pets.create(name=chosen.name, category_id=chosen.category_id)
            print(f"{pet.name} has the id {pet.id}.")
        else:
            for pet in client.pets.list(status=chosen.status, limit=100):
                print(pet.id, pet.status, pet.name, sep="\t")
    except BrokenPipeError:  # `| head` has read enough
        sys.stdout = None
    except (petstore.PetstoreError, ValueError) as error:  # ValueError: no address, or no key
        sys.exit(str(error))


if __name__ == "__main__":
    main()

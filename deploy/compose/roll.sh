#!/bin/sh
# Replaces the replicas by new ones, of the image and the settings as they are now, without a lost request: the tables
# are brought up to date, the worker is replaced, as many new replicas start beside the old ones, and when they are ready the old ones stop.
set -eu
cd "$(dirname "$0")/../.."

docker compose run --rm --no-deps migrate
old=$(docker compose ps --quiet petstore)
count=$(echo "$old" | wc -l)
docker compose up --detach --wait --no-deps --no-recreate --scale petstore=$((count * 2)) petstore
docker compose up --detach --wait --no-deps worker # what it was sending is sent again
for replica in $old; do
  docker stop "$replica" # it finishes what runs
  docker rm "$replica"
done

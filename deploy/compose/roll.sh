#!/bin/sh
# Replaces the replicas and the worker with another version without losing a request:
#
#   deploy/compose/roll.sh            # the version of this checkout; builds its image if there is none
#   deploy/compose/roll.sh 1.0.0      # an existing image; see: docker image ls petstore
#
# New replicas start next to the old ones. If they do not become healthy, or do not stay healthy for ROLL_WATCH_SECONDS (20), they are
# removed and the old ones keep running. This also applies changed settings. You can run it again at any time, even after an
# interruption.
set -eu
cd "$(dirname "$0")/../.."

version=${1:-$(git describe --tags --always --dirty="-$(date +%Y%m%d%H%M%S)" | sed 's/^v//')}
export PETSTORE_VERSION="$version"
docker image inspect "petstore:$version" >/dev/null 2>&1 || docker compose build petstore

docker compose rm --force petstore # replicas stopped by hand, which would be started again below
old=$(docker compose ps --quiet petstore)
old_version=$(docker compose ps --format '{{.Image}}' petstore | sed -n '1s/.*://p')
wanted=$(docker compose config --format json petstore | sed -n 's/^ *"replicas": \([0-9]*\).*/\1/p' | head -n 1)
total=$(($(echo "$old" | grep --count .) + wanted)) || true

new() { docker compose ps --all --quiet petstore | grep --invert-match --fixed-strings "${old:-none}" || true; }

# @param the reason
give_up() {
  echo "roll.sh: $1 The replicas of ${old_version:-before} keep running." >&2
  new | xargs --no-run-if-empty --max-args=1 docker logs --tail 20 >&2 || true
  new | xargs --no-run-if-empty docker rm --force >/dev/null
  [ -z "$old_version" ] || PETSTORE_VERSION=$old_version docker compose up --detach --no-deps worker
  exit 1
}

docker compose run --rm --no-deps migrate
docker compose up --detach --wait --no-deps --no-recreate --scale petstore="$total" petstore ||
  give_up 'The new replicas do not become healthy.'
for _ in $(seq "${ROLL_WATCH_SECONDS:-20}"); do
  sleep 1
  for replica in $(new); do
    [ "$(docker inspect --format '{{.State.Health.Status}} {{.RestartCount}}' "$replica")" = 'healthy 0' ] ||
      give_up 'The new replicas do not stay healthy.'
  done
done
docker compose up --detach --wait --no-deps worker || # interrupted deliveries are sent again
  give_up 'The new worker does not become healthy.'
for replica in $old; do
  docker stop "$replica" # it finishes running requests
  docker rm "$replica"
done

# `docker compose up` must start this version too.
touch .env
sed -i '/^PETSTORE_VERSION=/d' .env
echo "PETSTORE_VERSION=$version" >>.env

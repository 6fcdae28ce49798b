#!/bin/sh
# Replaces the replicas and the worker with another version without losing a request:
#
#   deploy/compose/roll.sh            # the version of this checkout; builds its image if there is none
#   deploy/compose/roll.sh 1.3.0      # an existing image; see: docker image ls petstore
#
# New replicas and a new worker start next to the old ones. If they do not become healthy, or do not stay healthy for
# ROLL_WATCH_SECONDS (20), they are removed and the old ones keep running, untouched. This also applies changed settings, which are
# checked first. You can run it again at any time, even after an interruption.
set -eu
cd "$(dirname "$0")/../.."

# @param the reason
fail() {
  echo "roll.sh: $1" >&2
  exit 1
}

exec </dev/null # which may be the next commands of the caller
exec 9<docker-compose.yml
! command -v flock >/dev/null || flock --nonblock 9 || fail 'Another roll.sh is running.'

if [ $# -gt 0 ]; then
  version=$1
  # Building would give the present code the name of the old version.
  docker image inspect "petstore:$version" >/dev/null || fail "There is no image of $version. See: docker image ls petstore"
else
  version=$(git describe --tags --always --dirty="-$(date +%Y%m%d%H%M%S)") || fail 'Git does not tell the version.'
  version=${version#v}
fi
export PETSTORE_VERSION="$version"
docker image inspect "petstore:$version" >/dev/null 2>&1 || docker compose build petstore

docker compose rm --force petstore worker # what was stopped by hand, which would be started again below
old=$(docker compose ps --quiet petstore worker)
# @param the service
wanted() { docker compose config --format json "$1" | sed -n 's/^ *"replicas": \([0-9]*\).*/\1/p' | head -n 1; }
[ -n "$(wanted petstore)" ] || fail 'Put COMPOSE_FILE=docker-compose.yml:deploy/compose/production.yml into .env.'
# How many there are beside the old ones, including what an interrupted run has left.
# @param the service, and how many it has if the file does not say
total() { echo $(($(docker compose ps --quiet "$1" | grep --count .) + $(wanted "$1" | grep . || echo "$2"))); }

docker compose run --rm --no-deps -T secrets # what this version needs
# All but the checks of what is around them: Redis, say, may be down while a version is replaced.
check=$(docker compose run --rm --no-deps -T petstore petstore doctor) || ! echo "$check" | grep '^fail *configuration' >&2 ||
  fail 'The settings are wrong. Nothing has been changed.'

new() { docker compose ps --all --quiet petstore worker | grep --invert-match --fixed-strings "${old:-none}" || true; }

# @param the reason
give_up() {
  trap '' INT TERM HUP
  new | xargs --no-run-if-empty --max-args=1 docker logs --tail 20 >&2 || true
  new | xargs --no-run-if-empty docker rm --force >/dev/null
  docker compose rm --force migrate >/dev/null || true # or the next `docker compose up` would replace it, and all that depends on it
  fail "$1 The old replicas and the old worker keep running."
}

docker compose run --rm --no-deps -T migrate || fail 'The migrations have not run. The old replicas and the old worker keep running.'
trap 'give_up "Interrupted."' INT TERM HUP
# Not with --no-deps: Compose 2.26 to 2.29 would remember another configuration. Nor with a `migrate` of the old version, which the next
# `docker compose up` would replace, and with it all that depends on it. And not started by `up`, which would wait for a Redis that may be down.
docker compose rm --force migrate
{ docker compose up --no-start --no-recreate --scale petstore="$(total petstore 2)" --scale worker="$(total worker 1)" petstore worker &&
  new | xargs docker start; } || give_up 'The new replicas do not start.'
watch=${ROLL_WATCH_SECONDS:-20}
healthy=0
for _ in $(seq $((120 + watch))); do
  case $(new | xargs docker inspect --format '{{.State.Health.Status}} {{.RestartCount}}' | sort --unique) in
    'healthy 0') healthy=$((healthy + 1)) ;;
    *unhealthy* | *' '[1-9]*) give_up 'The new replicas do not stay healthy.' ;;
  esac
  [ "$healthy" -le "$watch" ] || break
  sleep 1
done
[ "$healthy" -gt "$watch" ] || give_up 'The new replicas do not become healthy.'
trap - INT TERM HUP
for replica in $old; do
  docker stop "$replica" # it finishes running requests; interrupted deliveries are sent again
  docker rm "$replica"
done

# `docker compose up` must start this version too. sed would replace a symbolic link by a copy.
[ -s .env ] || echo '# roll.sh sets the version:' >>.env
sed -i -e "\$a\\PETSTORE_VERSION=$version" -e '/^PETSTORE_VERSION=/d' "$(readlink -f .env)"

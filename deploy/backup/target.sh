# Sourced by backup.sh and restore.sh: how to reach the service. The first argument says where it runs:
#   compose     the stack of deploy/compose/production.yml, which COMPOSE_FILE in .env names
#   kubernetes  the namespace petstore, or KUBE_NAMESPACE, of the current context; to restore, OVERLAY is the overlay that was applied
#   here        the PostgreSQL of DATABASE_DIRECT_URL, DATABASE_URL or libpq's variables (PGHOST, PGPASSFILE …), keys in
#               WEBHOOK_SECRET_KEYS_FILE
#
#   connect, disconnect    call them first and last
#   client COMMAND         runs a shell command that can call psql and pg_dump with $URL
#   read_keys, write_keys  the keys that encrypt webhook secrets, to stdout and from stdin
#   stop, start            stop and start all processes of the service

root=$(cd "$(dirname "$0")/../.." && pwd)

say() { echo "$(basename "$0"): $*" >&2; }
fail() {
  say "$*"
  exit 1
}

connect() { :; }
disconnect() { :; }
exec </dev/null              # which may be the next commands of the caller
trap 'exit 130' INT TERM HUP # otherwise a signal skips the trap EXIT

case ${1:-} in
  compose)
    compose() { (cd "$root" && docker compose "$@"); }
    connect() { compose up --detach --wait --no-deps --no-recreate postgres >&2; }
    # As the owner of the database.
    client() { compose exec -T postgres sh -c "export URL=postgres://petstore_owner@/petstore; $1"; }
    read_keys() { compose run --rm --no-deps -T secrets cat /data/webhook_secret_keys; }
    write_keys() { compose run --rm --no-deps -T secrets sh -c 'cat >/data/new && mv /data/new /data/webhook_secret_keys && sh /secrets.sh /data'; }
    stop() { compose stop petstore worker; }
    # The proxy finds the new replicas some seconds after they are ready.
    start() {
      compose up --detach
      for _ in $(seq 60); do
        ! compose exec -T proxy bash -c "$ready" || return 0
        sleep 1
      done
      fail 'The proxy does not answer: see docker compose logs.'
    }
    ready='exec 3<>/dev/tcp/127.0.0.1/8404 && printf "GET /ready HTTP/1.0\r\n\r\n" >&3 && grep -q " 200 " <&3'
    ;;

  kubernetes)
    kube() { kubectl --namespace "${KUBE_NAMESPACE:-petstore}" "$@"; }
    connect() {
      kube apply --filename "$root/deploy/backup/client-pod.yaml" >&2
      kube wait --for=condition=Ready --timeout=5m pod/petstore-backup >&2
    }
    disconnect() { kube delete pod petstore-backup --ignore-not-found >&2; }
    # The pod reads the address itself. A pooler is bypassed.
    client() {
      kube exec --stdin petstore-backup -- sh -c "
        cd /run/secrets/petstore
        export URL=\"\$(cat database-direct-url 2>/dev/null || cat database-url)\"
        $1"
    }
    read_keys() { kube get secret petstore --output 'go-template={{index .data "webhook-secret-keys" | base64decode}}'; }
    # By stdin, because the arguments of a process are visible to others.
    write_keys() {
      printf '{"data":{"webhook-secret-keys":"%s"}}' "$(base64 | tr -d '\n')" | kube patch secret petstore --patch-file=/dev/stdin
    }
    stop() {
      kube kustomize "${OVERLAY:?is the overlay that was applied, such as deploy/kubernetes/base}" >/dev/null
      kube scale --replicas=0 deployment/petstore deployment/petstore-worker
      kube wait --for=delete --timeout=5m pod --selector 'app.kubernetes.io/component in (service, worker)'
    }
    # The autoscaler ignores a Deployment without replicas.
    start() {
      kube apply --kustomize "$OVERLAY"
      kube scale --replicas=2 deployment/petstore
      kube rollout status --timeout=30m deployment/petstore
    }
    ;;

  here)
    connect() {
      [ -n "${DATABASE_DIRECT_URL:-}${DATABASE_URL:-}${PGHOST:-}${PGHOSTADDR:-}${PGSERVICE:-}${PGDATABASE:-}" ] ||
        fail 'Set DATABASE_URL, or PGHOST and the like. The embedded PostgreSQL is copied with its folder: see docs/running.md.'
    }
    # A pooler is bypassed: it would keep the search_path of pg_dump in a session that requests get later.
    client() { URL=${DATABASE_DIRECT_URL:-${DATABASE_URL:-postgres://}} sh -c "$1"; }
    read_keys() { [ -z "${WEBHOOK_SECRET_KEYS_FILE:-}" ] || cat "$WEBHOOK_SECRET_KEYS_FILE"; }
    write_keys() { cat >"$WEBHOOK_SECRET_KEYS_FILE"; }
    stop() { :; } # restore.sh fails while a process is connected
    start() { say 'Run "petstore migrate", and start the service and its worker.'; }
    ;;

  *) fail 'The first argument is compose, kubernetes or here.' ;;
esac

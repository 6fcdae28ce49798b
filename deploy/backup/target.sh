# Sourced by backup.sh and restore.sh: what they need of the place where the service runs, which is the first argument.
#   compose     the stack of docker-compose.yml
#   kubernetes  the namespace petstore, or KUBE_NAMESPACE, of the current context; OVERLAY is what was applied there
#   here        PostgreSQL where libpq's variables say (PGHOST, PGDATABASE, PGPASSFILE …), keys in WEBHOOK_SECRET_KEYS_FILE
#
#   connect, disconnect    before and after the others
#   client COMMAND         runs a command of a shell beside psql and pg_dump, for which URL leads to the database
#   read_keys, write_keys  the keys that encrypt the secrets of webhooks, to stdout and from stdin
#   stop, start            all processes of the service

root=$(cd "$(dirname "$0")/../.." && pwd)

say() { echo "$(basename "$0"): $*" >&2; }
fail() {
  say "$*"
  exit 1
}

connect() { :; }
disconnect() { :; }

case ${1:-} in
  compose)
    compose() { docker compose --project-directory "$root" "$@"; }
    client() { compose exec -T --env URL=postgres://petstore@/petstore postgres sh -c "$1"; }
    read_keys() { compose run --rm --no-deps -T secrets cat /data/webhook_secret_keys; }
    write_keys() { compose run --rm --no-deps -T secrets sh -c 'cat >/data/webhook_secret_keys'; }
    stop() { compose stop petstore worker; }
    start() { compose up --detach; }
    ;;

  kubernetes)
    kube() { kubectl --namespace "${KUBE_NAMESPACE:-petstore}" "$@"; }
    connect() {
      kube apply --filename "$root/deploy/backup/client-pod.yaml" >&2
      kube wait --for=condition=Ready --timeout=5m pod/petstore-backup >&2
    }
    disconnect() { kube delete pod petstore-backup --ignore-not-found --wait=false >&2; }
    # The address is read inside the pod. A pooler is bypassed where there is one.
    client() {
      kube exec --stdin petstore-backup -- sh -c "
        cd /run/secrets/petstore
        export URL=\"\$(cat database-direct-url 2>/dev/null || cat database-url)\"
        $1"
    }
    read_keys() { kube get secret petstore --output 'go-template={{index .data "webhook-secret-keys" | base64decode}}'; }
    write_keys() { kube patch secret petstore --patch "{\"data\":{\"webhook-secret-keys\":\"$(base64 | tr -d '\n')\"}}"; }
    stop() {
      kube scale --replicas=0 deployment/petstore deployment/petstore-worker
      kube wait --for=delete --timeout=5m pod --selector 'app.kubernetes.io/component in (service, worker)'
    }
    # A Job cannot be changed, and a Deployment without replicas is left alone by its autoscaler.
    start() {
      kube delete job petstore-migrate --ignore-not-found
      kube apply --kustomize "${OVERLAY:-$root/deploy/kubernetes/small}"
      kube wait --for=condition=Complete --timeout=30m job/petstore-migrate
      kube scale --replicas=2 deployment/petstore
    }
    ;;

  here)
    client() { URL=postgres:// sh -c "$1"; }
    read_keys() { [ -z "${WEBHOOK_SECRET_KEYS_FILE:-}" ] || cat "$WEBHOOK_SECRET_KEYS_FILE"; }
    write_keys() { [ -z "${WEBHOOK_SECRET_KEYS_FILE:-}" ] || cat >"$WEBHOOK_SECRET_KEYS_FILE"; }
    stop() { :; } # restore.sh refuses to begin while one is connected
    start() { say 'Run "petstore migrate", and start the service and its worker.'; }
    ;;

  *) fail 'The first argument is compose, kubernetes or here.' ;;
esac

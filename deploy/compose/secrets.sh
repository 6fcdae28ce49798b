#!/bin/sh
# Generates the missing secrets of the stack in the given folder, and gives each service a folder with those that it uses. Existing
# secrets stay: to use your own password, write its file before the first start.
set -eu
umask 077
cd "$1"

# Replaces a file at once, because replicas read their address again for each connection.
# @param the file, whose text is on stdin
write() {
  cat >"$1.new"
  [ "$1" = redis.acl ] || chgrp 10001 "$1.new"
  chmod 640 "$1.new"
  mv "$1.new" "$1"
}

password() {
  [ -s "$1" ] || head -c 24 /dev/urandom | base64 | tr '+/' '-_' >"$1"
  cat "$1"
}

if [ -s database_url ] && [ ! -s owner_password ]; then
  echo 'The service of this installation connects to PostgreSQL as a superuser. Run deploy/compose/owner.sh of 1.3 once.' >&2
  exit 1
fi
password postgres_password >/dev/null
redis=$(password redis_password)
[ -s webhook_secret_keys ] || head -c 32 /dev/urandom | base64 >webhook_secret_keys

printf 'postgres://petstore_owner:%s@postgres:5432/petstore\n' "$(password owner_password)" | write database_url
printf 'redis://petstore:%s@redis:6379\n' "$redis" | write redis_url
# Redis gets hashes only. The health check may only ping, the exporter may only read statistics, and the service has the permissions
# listed in docs/running.md.
write redis.acl <<ACL
user default off
user health on nopass -@all +ping
user exporter on nopass -@all +ping +info
user petstore on #$(printf %s "$redis" | sha256sum | cut -d' ' -f1) ~petstore:* -@all +@hash +@sortedset +eval +evalsha +info +time +pexpire +unlink +ping +select +asking +cluster|slots +cluster|info
ACL

# Mounts of their own keep apart what users cannot: the images of PostgreSQL and Redis have the same user id.
# @param the group of the service's user, its folder, and the names of its secrets
give() {
  group=$1 folder=$2
  shift 2
  mkdir -p "$folder"
  for name; do
    cp "$name" "$folder/.new"
    chgrp "$group" "$folder/.new"
    chmod 640 "$folder/.new"
    mv "$folder/.new" "$folder/$name"
  done
  chgrp "$group" "$folder"
  chmod 750 "$folder"
}
own=$(id -g)
give "$own" postgres postgres_password owner_password
give "$own" exporter-account postgres_password
give "$own" redis redis.acl
give 10001 migrate database_url
give 10001 petstore database_url redis_url webhook_secret_keys
give 10001 worker database_url webhook_secret_keys
chmod 600 -- *_password webhook_secret_keys # yours may be readable for others

#!/bin/sh
# Generates the missing secrets of the stack in the given folder. Existing files stay: to use your own password, write its file before
# the first start.
set -eu
cd "$1"

password() {
  [ -s "$1" ] || head -c 24 /dev/urandom | base64 | tr '+/' '-_' >"$1"
  cat "$1"
}

postgres=$(password postgres_password)
redis=$(password redis_password)
[ -s webhook_secret_keys ] || head -c 32 /dev/urandom | base64 >webhook_secret_keys

printf 'postgres://petstore:%s@postgres:5432/petstore\n' "$postgres" >database_url
printf 'redis://petstore:%s@redis:6379\n' "$redis" >redis_url
# Redis gets hashes only. The health check may only ping, the exporter may only read statistics, and the service has the permissions
# listed in docs/operating.md.
cat >redis.acl <<ACL
user default off
user health on nopass -@all +ping
user exporter on nopass -@all +ping +info
user petstore on #$(printf %s "$redis" | sha256sum | cut -d' ' -f1) ~petstore:* -@all +@hash +@sortedset +eval +evalsha +info +time +pexpire +unlink +ping
ACL

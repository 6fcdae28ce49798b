#!/bin/sh
# Makes what is missing of the stack's secrets in the folder that is the argument. What is there stays: to bring a
# password of your own, write its file before the first start.
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
# Redis itself gets no password to read. Its health check may do nothing but ping, its exporter nothing but read figures.
cat >redis.acl <<ACL
user default off
user health on nopass -@all +ping
user exporter on nopass -@all +ping +info
user petstore on #$(printf %s "$redis" | sha256sum | cut -d' ' -f1) ~petstore:* &* +@all -@admin -@dangerous +info
ACL

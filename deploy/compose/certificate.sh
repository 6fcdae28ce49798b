#!/bin/sh
# Creates petstore.pem, a self-signed certificate with its key, in the given folder, unless it exists.
set -eu
cd "$1"
[ ! -s petstore.pem ] || exit 0
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 825 -quiet \
  -subj "/CN=$PETSTORE_HOST" -addext "subjectAltName=DNS:$PETSTORE_HOST,DNS:localhost,IP:127.0.0.1" \
  -keyout /tmp/key.pem -out /tmp/certificate.pem
cat /tmp/certificate.pem /tmp/key.pem >petstore.pem

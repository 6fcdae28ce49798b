#!/bin/sh
# Writes when the certificate expires, for the node exporter.
set -eu
umask 022
trap 'exit 0' INT TERM # INT is how the image is stopped
while :; do
  end=$(openssl x509 -enddate -noout -in /run/certificates/petstore.pem | cut -d= -f2)
  echo "petstore_certificate_expiry_timestamp_seconds $(date --date="$end" +%s)" >certificate.new
  mv certificate.new certificate.prom
  sleep 60 &
  wait $!
done

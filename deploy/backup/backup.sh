#!/bin/sh
# Saves all that lasts into a new folder: the database, and the keys without which the secrets of webhooks in it cannot be
# read. The service runs on.
#
#   deploy/backup/backup.sh compose|kubernetes|here FOLDER
set -eu
umask 077
. "$(dirname "$0")/target.sh"
folder=${2:?The second argument is a folder, which is made.}
[ ! -e "$folder" ] || fail "$folder is there already."

trap disconnect EXIT
connect
rm -rf "$folder.part"
mkdir -p "$folder.part"
client 'psql --dbname="$URL" --no-psqlrc --quiet 3>&1 >/dev/null' \
  <"$root/deploy/backup/dump.sql" >"$folder.part/petstore.dump"
read_keys >"$folder.part/webhook-secret-keys" # after the dump: it has what the dump was encrypted with
mv "$folder.part" "$folder"                 # what is not complete has another name
say "$folder is complete. It can be read by anyone who has it: encrypt it, and keep it elsewhere."

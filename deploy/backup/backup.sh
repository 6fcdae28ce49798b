#!/bin/sh
# Saves the database, and the keys that encrypt the secrets of webhooks in it, to a new folder. The service keeps running.
#
#   deploy/backup/backup.sh compose|kubernetes|here FOLDER
set -eu
umask 077
. "$(dirname "$0")/target.sh"
folder=${2:?The second argument is a folder, which is made.}
folder=${folder%/}
[ ! -e "$folder" ] || fail "$folder already exists."

parent=$(dirname "$folder")
made=
trap 'rm -rf "$folder.part"; [ -z "$made" ] || rmdir "$made" 2>/dev/null || :; disconnect' EXIT
connect
[ -d "$parent" ] || made=$parent
rm -rf "$folder.part"
mkdir -p "$folder.part"
client 'psql --dbname="$URL" --no-psqlrc --quiet 3>&1 >/dev/null' \
  <"$root/deploy/backup/dump.sql" >"$folder.part/petstore.dump" || fail 'There is no backup, for the reason above.'
read_keys >"$folder.part/webhook-secret-keys" # after the dump, so that every key used in the dump is included
mv "$folder.part" "$folder"                 # what a killed run leaves keeps the name .part
[ -s "$folder/webhook-secret-keys" ] || say "It holds no keys of webhook secrets, because WEBHOOK_SECRET_KEYS_FILE names none."
say "$folder is complete. It can be read by anyone who has it: encrypt it, and keep it elsewhere."

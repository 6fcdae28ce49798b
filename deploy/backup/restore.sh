#!/bin/sh
# Stops the service, replaces everything in the database with a backup from backup.sh, and starts the service. The replacement is one
# transaction: if it fails, the database is unchanged and the service stays stopped.
#
#   deploy/backup/restore.sh compose|kubernetes|here FOLDER
set -eu
umask 077
. "$(dirname "$0")/target.sh"
folder=${2:?The second argument is the folder of the backup.}
[ -s "$folder/petstore.dump" ] || fail "$folder has no petstore.dump."
has_keys() { [ -s "$folder/webhook-secret-keys" ]; }
if [ "$1" = here ] && has_keys && [ -z "${WEBHOOK_SECRET_KEYS_FILE:-}" ]; then
  fail 'The backup has the keys of webhook secrets: set WEBHOOK_SECRET_KEYS_FILE to the file where they belong.'
fi

psql='psql --dbname="$URL" --no-psqlrc --quiet --set ON_ERROR_STOP=1'
script() {
  echo 'BEGIN;'
  cat "$root/deploy/backup/empty.sql" || return
  # Without COMMIT nothing is committed.
  if client 'pg_restore --no-owner --file=-' <"$folder/petstore.dump"; then
    echo 'RESET search_path;' # pg_restore has emptied it
    cat "$root/src/platform/feed/events/new-ids.sql" || return
    printf '%s\n' 'COMMIT;' '\echo committed'
  else
    echo "DO \$\$ BEGIN RAISE 'the dump cannot be read'; END \$\$;"
  fi
}

left='Nothing has been changed.'
trap '[ $? = 0 ] || say "$left"; disconnect' EXIT
connect
# To list its contents would read the beginning only.
client 'pg_restore --file=/dev/null' <"$folder/petstore.dump" || fail 'The dump is not complete, or of a newer PostgreSQL.'
# The last migration of 1.3.
oldest=FoldCategoryNamesAsPets1796100000000
[ "$(client 'pg_restore --data-only --table=migrations --file=-' <"$folder/petstore.dump" | grep -c "$oldest")" = 1 ] ||
  fail 'The backup is of a version before 1.3, which this version does not upgrade. Restore it with 1.3, and then upgrade.'
left='The database is unchanged. Run this again, or start the service if it is stopped.'
stop
others=$(client "$psql --tuples-only --no-align" <<'SQL'
  SELECT count(*) || ' connections to the database are open: ' || string_agg(DISTINCT concat_ws(' ', usename, application_name), ', ')
  FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()
    -- PostgreSQL hides the type of another role's connection.
    AND coalesce(backend_type, 'client backend') = 'client backend' AND usename <> 'exporter'
  HAVING count(*) > 0;
SQL
)
[ -z "$others" ] || fail "$others. Stop the service and its workers; in PgBouncer, run RECONNECT."
# For psql, a script that ends too early is no error.
result=$(script | client "$psql --output=/dev/null")
[ "$result" = committed ]
left='The database is that of the backup, but not everything is done. Run this again.'
! has_keys || write_keys <"$folder/webhook-secret-keys"
start
say 'The database is that of the backup.'

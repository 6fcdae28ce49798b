#!/bin/sh
# Saves a backup to FOLDER/<time>, then deletes all but the newest 14, or KEEP. One that fails deletes no backup and leaves nothing behind.
# For a timer: petstore-backup.timer, cron-job.yaml.
#
#   deploy/backup/daily.sh compose|kubernetes|here FOLDER [KEEP]
set -eu
umask 077
scripts=$(cd "$(dirname "$0")" && pwd)
fail() {
  echo "daily.sh: $*" >&2
  exit 1
}
keep=${3:-14}
case $keep in '' | 0* | *[!0-9]*) fail "KEEP is $keep, not a number from 1." ;; esac
mkdir -p "${2:?The second argument is the folder of all backups.}"
cd "$2"
exec 9<.
! command -v flock >/dev/null || flock --nonblock 9 || fail "Another backup to $PWD is running."

rm -rf ./*.part # what a killed run has left
complete() { ls -d ????-??-??T??????Z 2>/dev/null | sort -r; }
# The disk may be PostgreSQL's own, which stops when it is full. In KiB: a tenth more than the last one, and a twentieth of the disk.
last=$(complete | head -n 1)
size=$([ -z "$last" ] || du -sk "$last" | cut -f1)
df -Pk . | awk -v size="${size:-0}" 'NR == 2 && $4 < size * 1.1 + $2 / 20 {
  printf "daily.sh: Only %d MiB are free. The last backup has %d MiB, and a twentieth of the disk, %d MiB, stays free.\n", $4 / 1024, size / 1024, $2 / 20480
  exit 1
}' >&2 || exit 1

sh "$scripts/backup.sh" "$1" "$PWD/$(date -u +%Y-%m-%dT%H%M%SZ)"
complete | tail -n +$((keep + 1)) | xargs -r rm -r

# For the alert PetstoreBackupOld. Without observe.yml there is nobody to tell.
note='echo "petstore_backup_timestamp_seconds $(date +%s)" >backup.new && mv backup.new backup.prom'
[ "$1" != compose ] || (cd "$scripts/../.." && docker compose exec -T upkeep sh -c "$note" 2>/dev/null) || true

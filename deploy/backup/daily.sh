#!/bin/sh
# Saves a backup to FOLDER/<time>, then deletes all but the newest 14, or KEEP. For a timer: petstore-backup.timer, cron-job.yaml.
#
#   deploy/backup/daily.sh compose|kubernetes|here FOLDER [KEEP]
set -eu
umask 077
scripts=$(cd "$(dirname "$0")" && pwd)
mkdir -p "${2:?The second argument is the folder of all backups.}"
cd "$2"
sh "$scripts/backup.sh" "$1" "$PWD/$(date -u +%Y-%m-%dT%H%M%SZ)"
rm -rf ./*.part # of interrupted runs
ls -d ????-??-??T??????Z | sort -r | tail -n +$((${3:-14} + 1)) | xargs -r rm -r

# For the alert PetstoreBackupOld. Without observe.yml there is nobody to tell.
note='echo "petstore_backup_timestamp_seconds $(date +%s)" >backup.new && mv backup.new backup.prom'
[ "$1" != compose ] || (cd "$scripts/../.." && docker compose exec -T upkeep sh -c "$note" 2>/dev/null) || true

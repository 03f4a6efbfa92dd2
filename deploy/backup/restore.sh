#!/bin/bash
# Puts a backup in the place of a lost database: restore.sh BACKUP DATA [ARCHIVE [TIME]]
#
# BACKUP is a folder that backup.sh made, DATA the data folder of the server, which is empty or missing. With ARCHIVE the
# server replays what that has of the write-ahead log as it starts, to its end or up to TIME. Run it as the user who runs
# PostgreSQL, with the programs of its version on the PATH; then start the server, and then Stagedoor.
#
# Nothing is written over: a data folder that has anything in it is refused.
set -euo pipefail

fail() {
  echo "$*" >&2
  exit 1
}

(($# >= 2 && $# <= 4)) || fail "Usage: restore.sh BACKUP DATA [ARCHIVE [TIME]]"
backup=$1 data=$2 archive=${3:-} time=${4:-}

[[ -f $backup/backup_manifest ]] || fail "$backup is no backup: it has no backup_manifest."
if [[ -e $data && -n $(ls -A "$data") ]]; then
  fail "$data has data. Stop its server, move the folder away (it may be newer than the backup), and start again."
fi
[[ -z $archive || -d $archive ]] || fail "The archive $archive is missing."
made=$(cat "$backup/PG_VERSION") installed=$(postgres --version | sed -E 's/[^0-9]*([0-9]+).*/\1/')
[[ $made == "$installed" ]] ||
  fail "The backup is of PostgreSQL $made, and this is PostgreSQL $installed: install that version."
pg_verifybackup --quiet "$backup" || fail "The backup is damaged: take another one."

mkdir -p "$data"
chmod 700 "$data"
cp -a "$backup/." "$data/"
if [[ -n $archive ]]; then
  {
    echo "restore_command = 'cp \"$archive/%f\" \"%p\"'"
    # Empty where none is named: the backup may be of a server that was restored to a time itself.
    echo "recovery_target_time = '$time'"
    echo "recovery_target_action = 'promote'"
  } >>"$data/postgresql.auto.conf"
  touch "$data/recovery.signal"
fi
sync "$data"
echo "$data is ready: start PostgreSQL, and then Stagedoor. It says on its admin pages what is missing."

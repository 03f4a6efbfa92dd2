#!/bin/bash
# Backs a whole PostgreSQL up while it serves, and checks the copy: backup.sh FOLDER [KEPT [ARCHIVE]]
#
# The server is the one that PGHOST, PGPORT, PGUSER and PGPASSWORD name; its user may replicate. The copy is
# FOLDER/base-TIME, with a list of its files and their checksums; the KEPT newest stay (7), older ones go, and with
# them what ARCHIVE has of the write-ahead log from before. A copy that is not whole (a full disk, a lost server) is
# removed, so whatever has that name can be put back.
set -euo pipefail

fail() {
  echo "$*" >&2
  exit 1
}

(($# >= 1 && $# <= 3)) || fail "Usage: backup.sh FOLDER [KEPT [ARCHIVE]]"
folder=$1 kept=${2:-7} archive=${3:-}
[[ $kept =~ ^[1-9][0-9]*$ ]] || fail "KEPT is a number from 1 on: how many backups stay."
mkdir -p "$folder"
name=base-$(date -u +%Y%m%dT%H%M%S.%3NZ)
[[ ! -e $folder/$name ]] || fail "There is a backup of this moment: $folder/$name"
unfinished=$folder/$name.unfinished
trap 'rm -rf "$unfinished"' EXIT

pg_basebackup --pgdata="$unfinished" --checkpoint=fast --wal-method=stream --manifest-checksums=SHA256 ||
  fail "The backup was not made. Those from before are as they were."
pg_verifybackup --quiet "$unfinished" || fail "The backup is not whole, and was removed."
mv "$unfinished" "$folder/$name"
sync "$folder"

# In the order of their names, which is that of their times.
backups=("$folder"/base-*Z)
for ((i = 0; i < ${#backups[@]} - kept; i++)); do
  rm -rf "${backups[i]}"
done
if [[ -n $archive ]]; then
  oldest=("$folder"/base-*Z)
  first=$(sed -nE 's/^START WAL LOCATION: .*file ([0-9A-F]{24}).*/\1/p' "${oldest[0]}/backup_label")
  pg_archivecleanup "$archive" "$first"
fi
echo "$folder/$name"

# Dumps of databases, for the tests of upgrades. Sourced, after programs.sh.
# shellcheck shell=bash

# Prints the database as SQL that any PostgreSQL since 15 reads without psql: new ones of
# pg_dump add commands of psql, and a setting that older servers do not know.
print_database() { # URL
  "$(postgres_bin newest)/pg_dump" --no-owner --no-privileges --inserts --rows-per-insert=500 \
    "$1" |
    sed -E '/^\\(un)?restrict /d; /^SET transaction_timeout = /d'
}

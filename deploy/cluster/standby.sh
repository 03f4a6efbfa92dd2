#!/bin/bash
# Starts the standby: copies the primary's data the first time, and follows it from then on.
set -euo pipefail

if [[ ! -s $PGDATA/PG_VERSION ]]; then
  mkdir -p "$PGDATA"
  chown postgres:postgres "$PGDATA"
  chmod 700 "$PGDATA"
  export PGPASSWORD=$POSTGRES_PASSWORD
  gosu postgres pg_basebackup --pgdata="$PGDATA" --checkpoint=fast --write-recovery-conf \
    --dbname='host=postgres-a user=replicator application_name=standby'
  unset PGPASSWORD
fi
exec docker-entrypoint.sh "$@"

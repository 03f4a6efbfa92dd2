#!/bin/sh
# Adds to the primary what a standby and HAProxy need. The image of PostgreSQL runs it once, after
# deploy/postgres/roles.sh. `replicator` copies the data; `balancer` may do nothing but log in to the
# database `postgres`, which is how HAProxy learns who is in recovery.
set -eu

psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --set=password="$POSTGRES_PASSWORD" \
  --username="$POSTGRES_USER" --dbname=postgres <<'END'
create role replicator login replication password :'password';
create role balancer login connection limit 10;
-- From the next start on: until then there is no standby that a commit could wait for.
alter system set synchronous_standby_names = 'standby';
END
# The first line that fits decides, so this one stands before those of the image.
sed -i '1i host postgres balancer samenet trust' "$PGDATA/pg_hba.conf"
echo 'host replication replicator samenet scram-sha-256' >>"$PGDATA/pg_hba.conf"

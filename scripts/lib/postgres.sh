# The private PostgreSQL. Sourced by scripts/stack, which sets FOLDER, PASSWORD and
# THROW_AWAY.
# shellcheck shell=bash disable=SC2034,SC2153

postgres_pid() {
  sed -n 1p "$FOLDER/postgres/postmaster.pid" 2>/dev/null || true
}

start_postgres() {
  local data=$FOLDER/postgres log=$FOLDER/log/postgres.log bin attempt
  if works_in "$(postgres_pid)" "$data"; then
    POSTGRES_PORT=$(sed -n 4p "$data/postmaster.pid")
    return
  fi
  # Whoever starts it says how long it runs, not who did before a reboot.
  rm -f "$FOLDER/by-hand"
  find_postgres
  bin=$POSTGRES_BIN
  service_folder "$FOLDER/log"
  [[ -d $data ]] || init_postgres "$bin" "$data"
  # Of a server that crashed, or of a machine that did. PostgreSQL itself would
  # refuse to start while any process of ours has that number.
  rm -f "$data/postmaster.pid"

  for ((attempt = 0; attempt < START_ATTEMPTS_MAX; attempt++)); do
    POSTGRES_PORT=$(choose_port DATABASE_URL)
    rm -f "$log"
    if as_service "$bin/pg_ctl" start --silent --wait --timeout="$START_SECS_MAX" \
      --pgdata="$data" --log="$log" --options="-p $POSTGRES_PORT" >/dev/null 2>&1; then
      return
    fi
    grep -q 'Address already in use' "$log" || break
    rm -f "$FOLDER/env"
  done
  fail "PostgreSQL did not start: $(last_words "$log")"
}

# Sets POSTGRES_BIN to the programs that fit the data, when there is data already.
find_postgres() {
  local version=
  if [[ -f $FOLDER/postgres/PG_VERSION ]]; then
    version=$(cat "$FOLDER/postgres/PG_VERSION")
    POSTGRES_BIN=$(postgres_bin "$version") ||
      fail "The data in $FOLDER is of PostgreSQL $version, which is not installed any more:" \
        "install it, or start anew after make clean."
  else
    POSTGRES_BIN=$(postgres_bin newest) ||
      fail "PostgreSQL ${PG:-$POSTGRES_VERSION_MIN or newer} is missing: run scripts/install."
  fi
  # A downloaded server lies in root's home, where the user who runs it cannot read it.
  if ((EUID == 0)) && [[ $POSTGRES_BIN == "$(downloaded_postgres)"/* ]]; then
    [[ -d $FOLDER/programs ]] || cp -r "$POSTGRES_BIN/.." "$FOLDER/programs"
    POSTGRES_BIN=$FOLDER/programs/bin
  fi
}

# Makes the data folder: under another name first, so that an interrupted start
# leaves nothing that looks complete.
init_postgres() { # BIN PATH
  local new=$2.new log=$FOLDER/log/initdb.log locale=C.UTF-8 auth=scram-sha-256
  [[ $(uname) != Darwin ]] || locale=en_US.UTF-8
  # SCRAM has the client hash the password 4,096 times for each connection. Unoptimized, and tests open many
  # connections, that is half of their processor time.
  [[ $THROW_AWAY != yes ]] || auth=password
  rm -rf "$new"
  service_folder "$new"
  as_service "$1/initdb" --pgdata="$new" --username=postgres --pwfile="$FOLDER/password" \
    --auth="$auth" --encoding=UTF8 --locale="$locale" --lc-messages=C --no-sync \
    >"$log" 2>&1 || fail "PostgreSQL's data folder could not be made: $(last_words "$log")"
  postgres_settings >>"$new/postgresql.conf"
  mv "$new" "$2"
}

postgres_settings() {
  cat <<'END'

# Stagedoor's own; see scripts/stack.
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
END
  if [[ $THROW_AWAY == yes ]]; then
    # Tests run many small databases at once, and nobody misses them after a crash.
    cat <<'END'
max_connections = 300
fsync = off
full_page_writes = off
max_wal_size = '256MB'
END
  else
    # fsync stays on: what a person sees here should cost what it costs in earnest.
    echo 'max_connections = 200'
  fi
}

# Makes the database and its two roles: `stagedoor_owner` owns it and migrates, `stagedoor`
# serves, owns nothing, and is granted what it needs by every migration.
create_database() {
  find_postgres
  local role psql=("$POSTGRES_BIN/psql" --no-psqlrc --quiet --tuples-only --no-align
    --set=ON_ERROR_STOP=1 --host=127.0.0.1 --port="$POSTGRES_PORT" --username=postgres
    --dbname=postgres)
  export PGPASSWORD=$PASSWORD
  "${psql[@]}" --command='select 1' >/dev/null 2>&1 ||
    fail "The data in $FOLDER is of an older Stagedoor, with one role for everything:" \
      "start anew after make clean."
  for role in stagedoor_owner stagedoor; do
    if [[ -z $("${psql[@]}" --command="select 1 from pg_roles where rolname = '$role'") ]]; then
      "${psql[@]}" --command="create role $role login password '$PASSWORD'"
    fi
  done
  if [[ -z $("${psql[@]}" --command="select 1 from pg_database where datname = 'stagedoor'") ]]; then
    "${psql[@]}" --command='create database stagedoor owner stagedoor_owner'
  fi
  unset PGPASSWORD
}

# Where PostgreSQL's and Redis' programs are, what tests need, and what cargo builds. Sourced.
# shellcheck shell=bash

# The oldest versions that Stagedoor is tested with.
POSTGRES_VERSION_MIN=15
REDIS_VERSION_MIN=7

# Prints the folder of the newest PostgreSQL that is new enough, or of exactly
# version MAJOR. Debian and Fedora keep server programs off the PATH. Where PG names
# a version, that one stands for the newest.
postgres_bin() { # MAJOR|newest
  local dir version best='' best_version=0
  [[ -z ${PG:-} || $1 != newest ]] || set -- "$PG"
  for dir in \
    "$(downloaded_postgres)/$1/bin" \
    "$(dirname "$(command -v initdb || echo /nowhere/initdb)")" \
    /usr/lib/postgresql/*/bin /usr/pgsql-*/bin \
    /opt/homebrew/opt/postgresql*/bin /usr/local/opt/postgresql*/bin; do
    [[ -x $dir/initdb && -x $dir/pg_ctl && -x $dir/psql ]] || continue
    version=$("$dir/initdb" --version | first_number) || continue
    [[ $1 == newest || $1 == "$version" ]] || continue
    if ((version >= POSTGRES_VERSION_MIN && version > best_version)); then
      best=$dir best_version=$version
    fi
  done
  [[ -n $best ]] && echo "$best"
}

# Prints the folder of the PostgreSQL servers that scripts/install downloads where PG
# names a version that this system does not have. Each serves where its version is asked for.
downloaded_postgres() {
  echo "${XDG_CACHE_HOME:-$HOME/.cache}/stagedoor/postgres"
}

# Prints the folder of the servers that scripts/install downloads where REDIS names one, each in a folder of that name.
downloaded_redis() {
  echo "${XDG_CACHE_HOME:-$HOME/.cache}/stagedoor/redis"
}

# Has the server that REDIS names stand for the system's from here on.
use_redis_of_name() {
  [[ -z ${REDIS:-} ]] || PATH=$(downloaded_redis)/$REDIS:$PATH
}

# Prints the path of a Redis server that is new enough. Valkey is the name under
# which some systems ship the same server.
redis_server() {
  local name path version
  for name in redis-server valkey-server; do
    path=$(command -v "$name") || continue
    version=$("$path" --version | sed -E 's/.*v=//' | first_number) || continue
    if ((version >= REDIS_VERSION_MIN)); then
      echo "$path"
      return
    fi
  done
  return 1
}

# Prints the path of a Python that has aiosmtpd. A system's package is for the system's Python,
# which need not be the first on the PATH.
mail_python() {
  local python
  for python in /usr/bin/python3 python3; do
    "$python" -c 'import aiosmtpd' 2>/dev/null || continue
    command -v "$python"
    return
  done
  return 1
}

# Prints the path of the library that gives one process host names of its own.
nss_wrapper_library() {
  find /usr/lib /usr/lib64 -name libnss_wrapper.so -print -quit 2>/dev/null
}

# Prints the path of Chromium, or of the browser that is made of it.
chromium_path() {
  command -v chromium || command -v google-chrome
}

first_number() {
  sed -nE 's/^[^0-9]*([0-9]+).*/\1/p' | head -n 1
}

# Sets TEST_TARGETS to the arguments by which cargo takes the integration tests: a target for each folder in
# tests with a main.rs, but for the fault suite, which takes the machine to itself.
set_test_targets() {
  local folder
  TEST_TARGETS=()
  for folder in tests/*/main.rs; do
    folder=${folder%/main.rs}
    [[ $folder == tests/faults ]] || TEST_TARGETS+=(--test "${folder#tests/}")
  done
}

# Prints the folder into which cargo builds, which its configuration may name.
target_folder() {
  cargo metadata --no-deps --format-version 1 | sed -nE 's/.*"target_directory":"([^"]*)".*/\1/p'
}

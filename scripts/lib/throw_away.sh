# A stack for one run, removed with all its data at the end. Sourced, after
# users.sh; the script calls `remove_throw_away` in its trap.
# shellcheck shell=bash

THROW_AWAY_ON_DISK=.stack-test
THROW_AWAY_IN_MEMORY=/dev/shm/stagedoor-test-$UID
# What memory must have room for: the databases of as many tests as run at once, the
# write-ahead log, and what else this machine does.
THROW_AWAY_MIB_MIN=4096
MEMORY_MIB_MIN=8192

# Starts it and exports its DATABASE_URL, as the superuser's, and REDIS_URL. A `durable`
# one waits for its disk at each commit, as one in earnest does; a `quick` one does not,
# and need not survive a crash.
start_throw_away() { # durable|quick
  local parent folder
  parent=$(throw_away_parent "$1")
  remove_leftovers "$parent"
  folder=$(mktemp -d "$parent/XXXXXX")
  # mktemp's 0700 would keep root's PostgreSQL, which is not root, out.
  chmod 755 "$folder"
  JOINED_STACK=$folder
  if [[ $1 == durable ]]; then
    join_stack "$folder"
  else
    join_stack "$folder" --throw-away
  fi
  exec 7>&-
  # Tests make databases and roles, and the bench asks for checkpoints: as the superuser.
  export DATABASE_URL=${DATABASE_URL/stagedoor:/postgres:}
  unset DATABASE_OWNER_URL
}

# Where a stack of that kind stands. Each test makes a database of some hundred files: on a
# disk that was a tenth of the processor time of the tests; in memory, it is next to nothing.
throw_away_parent() { # durable|quick
  local room free
  room=$(df --block-size=1M --output=avail /dev/shm 2>/dev/null | tail -n 1)
  free=$(awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo 2>/dev/null)
  if [[ $1 == quick ]] && ((${room:-0} >= THROW_AWAY_MIB_MIN && ${free:-0} >= MEMORY_MIB_MIN)); then
    echo "$THROW_AWAY_IN_MEMORY"
  else
    echo "$THROW_AWAY_ON_DISK"
  fi
}

remove_throw_away() {
  local folder=${JOINED_STACK:-}
  [[ -n $folder ]] || return 0
  leave_stack
  rm -rf "$folder"
}

# Of runs that were killed before they could tidy up. One that is still in use
# keeps running, and is kept. The lock on PARENT stays with us: until our stack
# counts as used, nobody else may look for leftovers.
remove_leftovers() { # PARENT
  local folder
  own_folder "$1"
  exec 7>"$1/lock"
  lock_fd 7 exclusive
  for folder in "$1"/*/; do
    [[ -e ${folder}in-use ]] || continue
    scripts/stack leave "$folder"
    exec 8>"${folder}in-use"
    if lock_fd 8 try; then rm -rf "$folder"; fi
    exec 8>&-
  done
}

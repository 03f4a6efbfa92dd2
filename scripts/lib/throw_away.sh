# A stack for one run, removed with all its data at the end. Sourced, after
# users.sh; the script calls `remove_throw_away` in its trap.
# shellcheck shell=bash

THROW_AWAY_PARENT=.stack-test

# Starts it and exports its DATABASE_URL, as the superuser's, and REDIS_URL. A `durable`
# one waits for its disk at each commit, as one in earnest does; a `quick` one does not,
# and need not survive a crash.
start_throw_away() { # durable|quick
  own_folder "$THROW_AWAY_PARENT"
  # Until our stack counts as used, nobody else may look for leftovers.
  exec 7>"$THROW_AWAY_PARENT/lock"
  lock_fd 7 exclusive
  remove_leftovers
  local folder
  folder=$(mktemp -d "$THROW_AWAY_PARENT/XXXXXX")
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

remove_throw_away() {
  local folder=${JOINED_STACK:-}
  [[ -n $folder ]] || return 0
  leave_stack
  rm -rf "$folder"
}

# Of runs that were killed before they could tidy up. One that is still in use
# keeps running, and is kept.
remove_leftovers() {
  local folder
  for folder in "$THROW_AWAY_PARENT"/*/; do
    [[ -e ${folder}in-use ]] || continue
    scripts/stack leave "$folder"
    exec 8>"${folder}in-use"
    if lock_fd 8 try; then rm -rf "$folder"; fi
    exec 8>&-
  done
}

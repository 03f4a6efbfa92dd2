# Using a stack together with others. Sourced.
# shellcheck shell=bash

# Makes FOLDER, or says why we cannot keep a stack in it.
own_folder() { # FOLDER
  mkdir -p "$1" 2>/dev/null || fail "The folder $1 cannot be made here: check who owns the checkout."
  [[ -O $1 ]] || fail "The folder $1 is another user's: run this as that user, or remove the folder."
}

# Starts the stack in FOLDER if it does not run, and exports its addresses.
# Descriptor 8 says that we use it, for as long as this script lives.
join_stack() { # FOLDER [OPTION]
  own_folder "$1"
  exec 8>"$1/in-use"
  lock_fd 8 shared
  JOINED_STACK=$1
  scripts/stack join ${2:+"$2"} "$1"
  set -a
  # shellcheck source=/dev/null
  . "$1/env"
  set +a
}

# Stops the stack that we joined, unless somebody else uses it.
leave_stack() {
  [[ -n ${JOINED_STACK:-} ]] || return 0
  exec 8>&-
  scripts/stack leave "$JOINED_STACK"
  JOINED_STACK=
}

# Whether both addresses are given, so that no stack of ours is needed. One alone
# is a mistake: the two would not belong together.
stack_is_given() {
  if [[ -n ${DATABASE_URL:-} && -n ${REDIS_URL:-} ]]; then
    return 0
  elif [[ -n ${DATABASE_URL:-} ]]; then
    fail "DATABASE_URL is set but REDIS_URL is not: set both, or neither to use a private stack."
  elif [[ -n ${REDIS_URL:-} ]]; then
    fail "REDIS_URL is set but DATABASE_URL is not: set both, or neither to use a private stack."
  fi
  return 1
}

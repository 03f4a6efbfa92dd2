# Running one long program at a time, so that a signal stops it and everything
# else this script started. Sourced; the script sets `trap … EXIT` itself.
# shellcheck shell=bash

# How long a program may take to stop before it is killed.
CHILD_STOP_SECS_MAX=15
CHILD_PID=

trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP

# Runs a program and waits for it.
#
# It gets a process group of its own: Ctrl-C in a terminal goes to every process
# of the foreground group, and the program would be told twice, once by the
# terminal and once by us. And bash runs a trap only after a foreground program
# has ended, so a plain `kill` of this script would wait for it; `wait` does not.
# The lock descriptors are closed: a program that outlives us must not hold them.
attend() {
  set -m
  "$@" </dev/null 7>&- 8>&- 9>&- &
  CHILD_PID=$!
  set +m
  local status=0
  wait "$CHILD_PID" || status=$?
  CHILD_PID=
  return "$status"
}

# Stops the program that `attend` is running, if there is one.
stop_child() {
  [[ -n $CHILD_PID ]] || return 0
  local group=$CHILD_PID tenths
  CHILD_PID=
  kill -TERM -- "-$group" 2>/dev/null || return 0
  for ((tenths = 0; tenths < CHILD_STOP_SECS_MAX * 10; tenths++)); do
    kill -0 -- "-$group" 2>/dev/null || return 0
    sleep 0.1
  done
  kill -KILL -- "-$group" 2>/dev/null || true
}

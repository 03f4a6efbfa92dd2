# An office with demo data on a throw-away stack, for as long as a script runs. Sourced, after
# throw_away.sh, children.sh and ports.sh; the script calls `stop_office` in its trap.
# shellcheck shell=bash

SERVER=

# Builds PROGRAM, and serves with it at the LISTEN_ADDR that is exported then.
start_office() { # PROGRAM
  say "Building Stagedoor; the first time takes a few minutes."
  attend env SQLX_OFFLINE=true cargo build
  start_throw_away quick
  attend "$1" migrate
  attend "$1" demo
  LISTEN_ADDR=127.0.0.1:$(free_port)
  export LISTEN_ADDR
  local log=$JOINED_STACK/office.log tries
  "$1" serve >"$log" 2>&1 &
  SERVER=$!
  for ((tries = 0; tries < 100; tries++)); do
    if curl --silent --fail --output /dev/null "http://$LISTEN_ADDR/readyz"; then return; fi
    sleep 0.2
  done
  fail "The office does not answer; it said: $(tail -n 5 "$log")"
}

stop_office() {
  [[ -n $SERVER ]] || return 0
  kill "$SERVER" 2>/dev/null || true
  wait "$SERVER" 2>/dev/null || true
}

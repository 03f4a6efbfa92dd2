# What a private PostgreSQL and a private Redis have in common. Sourced by
# scripts/stack, which sets FOLDER.
# shellcheck shell=bash disable=SC2034

START_ATTEMPTS_MAX=5
START_SECS_MAX=60
STOP_SECS_MAX=30

# PostgreSQL refuses to run as root, and Redis has no need to. As root both run as
# the user of PostgreSQL's package, or as nobody.
choose_service_user() {
  ((EUID == 0)) || return 0
  command -v setpriv >/dev/null ||
    fail "As root, setpriv is needed to run PostgreSQL as another user: install util-linux."
  SERVICE_USER=postgres
  id "$SERVICE_USER" >/dev/null 2>&1 || SERVICE_USER=nobody
  SETPRIV=(setpriv --reuid="$SERVICE_USER" --regid="$(id -g "$SERVICE_USER")" --clear-groups)
  # A folder that only root may enter lies above, as in root's home: then the
  # servers keep root's right to pass through folders, and no other.
  service_reaches ||
    SETPRIV+=(--inh-caps=+dac_override --ambient-caps=+dac_override)
}

# Whether the servers can reach our folder. By looking for something in it: `test
# -x` asks access(2), which does not count capabilities.
service_reaches() {
  as_service test -e "$FOLDER/." 2>/dev/null
}

# Runs a program as the user who runs the servers, in a folder that it may enter,
# and without the locks.
as_service() {
  if ((EUID == 0)); then
    (cd / && exec "${SETPRIV[@]}" -- "$@" 7>&- 8>&- 9>&-)
  else
    "$@" 7>&- 8>&- 9>&-
  fi
}

give_to_service() { # PATH
  ((EUID != 0)) || chown "$SERVICE_USER" "$1"
}

# Makes a folder that only the servers use.
service_folder() { # PATH
  mkdir -p "$1"
  chmod 700 "$1"
  give_to_service "$1"
}

# Whether process PID lives and works in PATH. Both servers change into their data
# folder, and nobody else does. That a PID in a file lives proves nothing: after a
# crash or a reboot the number belongs to somebody else.
works_in() { # PID PATH
  [[ -n $1 ]] && kill -0 "$1" 2>/dev/null || return 1
  if [[ -d /proc/self ]]; then
    as_service test "/proc/$1/cwd" -ef "$2"
  else
    [[ $(lsof -a -p "$1" -d cwd -Fn 2>/dev/null | sed -n 's/^n//p') == "$2" ]]
  fi
}

stop_server() { # PID PATH SIGNAL
  works_in "$1" "$2" || return 0
  local signal tenths
  for signal in "$3" QUIT KILL; do
    kill "-$signal" "$1" 2>/dev/null || true
    for ((tenths = 0; tenths < STOP_SECS_MAX * 10; tenths++)); do
      works_in "$1" "$2" || return 0
      sleep 0.1
    done
  done
}

# The port that a server had last time, when it is still free, so that an open
# psql goes on working; otherwise another one.
choose_port() { # VARIABLE
  local port
  port=$(sed -nE "s/^$1='.*:([0-9]+)\/.*/\1/p" "$FOLDER/env" 2>/dev/null || true)
  if [[ -n $port ]] && ! port_answers 127.0.0.1 "$port"; then
    echo "$port"
  else
    free_port || fail "No free port was found on 127.0.0.1."
  fi
}

# The line of a log that says why, or its last one.
last_words() { # LOG
  { grep -E 'FATAL|Fatal|rror' "$1" || tail -n 1 "$1"; } 2>/dev/null | tail -n 1 | sed 's/^ *//'
}

# The private Redis. Sourced by scripts/stack, which sets FOLDER and PASSWORD.
# shellcheck shell=bash

redis_pid() {
  sed -n 1p "$FOLDER/redis/redis.pid" 2>/dev/null || true
}

start_redis() {
  local log=$FOLDER/log/redis.log server attempt
  if works_in "$(redis_pid)" "$FOLDER/redis"; then
    REDIS_PORT=$(sed -n 1p "$FOLDER/redis/port")
    await_redis && return
    fail "Redis (pid $(redis_pid)) does not answer: run make stop, and start again."
  fi
  server=$(redis_server) ||
    fail "Redis $REDIS_VERSION_MIN or newer is missing: run scripts/install."
  service_folder "$FOLDER/log"
  service_folder "$FOLDER/redis"

  for ((attempt = 0; attempt < START_ATTEMPTS_MAX; attempt++)); do
    REDIS_PORT=$(choose_port REDIS_URL)
    rm -f "$log" "$FOLDER/redis/redis.pid"
    redis_settings | as_service "$server" - >/dev/null 2>&1 || true
    if await_redis; then
      echo "$REDIS_PORT" >"$FOLDER/redis/port"
      return
    fi
    grep -q 'Address already in use' "$log" || break
    rm -f "$FOLDER/env"
  done
  fail "Redis did not start: $(last_words "$log")"
}

# No file is kept: whatever is in Redis can be lost at any moment by design, and
# starting with an empty one each time keeps that promise in use. `noeviction`,
# because a server that drops keys under memory pressure drops people from the line.
redis_settings() {
  cat <<END
bind 127.0.0.1
port $REDIS_PORT
requirepass $PASSWORD
daemonize yes
dir "$FOLDER/redis"
pidfile "$FOLDER/redis/redis.pid"
logfile "$FOLDER/log/redis.log"
maxmemory-policy noeviction
save ""
appendonly no
END
}

# Waits until our Redis answers. The password tells it from a stranger's; a server
# that found its port taken is given up as soon as its log says so.
await_redis() {
  local tenths
  for ((tenths = 0; tenths < START_SECS_MAX * 10; tenths++)); do
    ! redis_answers || return 0
    ! grep -qE 'Address already in use|FATAL|Fatal' "$FOLDER/log/redis.log" 2>/dev/null || return 1
    sleep 0.1
  done
  return 1
}

redis_answers() (
  exec 3<>"/dev/tcp/127.0.0.1/$REDIS_PORT" || exit 1
  printf 'AUTH %s\r\nPING\r\n' "$PASSWORD" >&3
  read -r -t 2 ok <&3 && [[ $ok == +OK* ]] && read -r -t 2 pong <&3 && [[ $pong == +PONG* ]]
) 2>/dev/null

# Who listens where. Sourced.
# shellcheck shell=bash

# Whether something on this machine answers on HOST PORT.
port_answers() { # HOST PORT
  (exec 3<>"/dev/tcp/$1/$2") 2>/dev/null
}

# Prints a loopback port that nobody listens on. Below 32768, where neither Linux
# nor macOS picks the ports of outgoing connections. Between this look and the
# server's start somebody may take it: the caller starts again with another.
free_port() {
  local port attempt
  for ((attempt = 0; attempt < 100; attempt++)); do
    port=$((20000 + RANDOM % 12000))
    if ! port_answers 127.0.0.1 "$port"; then
      echo "$port"
      return
    fi
  done
  return 1
}

# Prints who listens on HOST PORT, such as "nginx (pid 81)"; nothing when the port
# is free.
port_holder() { # HOST PORT
  if [[ -r /proc/net/tcp ]]; then
    port_holder_linux "$1" "$2"
  elif command -v lsof >/dev/null; then
    lsof -nP -a "-iTCP:$2" -sTCP:LISTEN -Fpc 2>/dev/null | awk '
      /^p/ { pid = substr($0, 2) }
      /^c/ { print substr($0, 2) " (pid " pid ")"; exit }'
  elif port_answers "$1" "$2"; then
    echo "another program"
  fi
}

port_holder_linux() { # HOST PORT
  local address uid inode fd pid
  while read -r address uid inode; do
    address_clashes "$1" "$2" "$address" || continue
    fd=$(find /proc/[0-9]*/fd -maxdepth 1 -lname "socket:\[$inode\]" 2>/dev/null | head -n 1) ||
      true
    if [[ -n $fd ]]; then
      pid=${fd#/proc/}
      pid=${pid%%/*}
      echo "$(cat "/proc/$pid/comm") (pid $pid)"
    else
      # Only root may see which process of somebody else holds a socket.
      echo "a program of the user $(id -nu "$uid" 2>/dev/null || echo "$uid")"
    fi
    return
  done < <(listening_sockets "$2")
}

# Prints "ADDRESS UID INODE" of each socket listening on PORT. The kernel writes
# addresses in hexadecimal and calls the listening state 0A.
listening_sockets() { # PORT
  awk -v port="$(printf ':%04X' "$1")" '
    $4 == "0A" && substr($2, length($2) - 4) == port {
      print substr($2, 1, length($2) - 5), $8, $10
    }' /proc/net/tcp /proc/net/tcp6 2>/dev/null || true
}

# Whether a socket listening on ADDRESS, as the kernel writes it, keeps us from
# listening on HOST PORT.
address_clashes() { # HOST PORT ADDRESS
  local host=$1 v4
  if [[ ! $host =~ ^([0-9]+)\.([0-9]+)\.([0-9]+)\.([0-9]+)$ || $host == 0.0.0.0 ]]; then
    return 0 # Every address of the machine, or one that only the server can read.
  fi
  # Byte by byte as it lies in memory: reversed on all machines that we run on.
  v4=$(printf '%02X%02X%02X%02X' "${BASH_REMATCH[4]}" "${BASH_REMATCH[3]}" \
    "${BASH_REMATCH[2]}" "${BASH_REMATCH[1]}")
  case $3 in
    "$v4" | 00000000 | *FFFF0000"$v4") return 0 ;;
    # Listening on all IPv6 addresses may or may not mean IPv4 as well.
    00000000000000000000000000000000) port_answers "$host" "$2" ;;
    *) return 1 ;;
  esac
}

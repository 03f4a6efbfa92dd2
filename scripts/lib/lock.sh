# Locks that the kernel gives back by itself when their holder dies. Sourced.
# shellcheck shell=bash

# Locks the file open on descriptor FD: `shared`, `exclusive`, or `try`, which is
# exclusive and fails at once when anybody else holds the lock. macOS has no
# flock program; a lock taken by perl on our descriptor stays with us all the same.
lock_fd() { # FD MODE
  if command -v flock >/dev/null; then
    case $2 in
      shared) flock --shared "$1" ;;
      exclusive) flock --exclusive "$1" ;;
      try) flock --exclusive --nonblock "$1" ;;
    esac
  else
    # The constants are LOCK_SH, LOCK_EX and LOCK_NB.
    perl -e 'my %how = (shared => 1, exclusive => 2, try => 2 | 4);
      open(my $file, ">&=", $ARGV[0]) or die "descriptor $ARGV[0]: $!\n";
      exit !flock($file, $how{$ARGV[1]});' "$1" "$2"
  fi
}

# What the scripts say to a person. Sourced.
# shellcheck shell=bash

# One line of progress.
say() {
  printf '%s\n' "$*"
}

# One plain sentence saying what to do, and the end of the script.
fail() {
  printf '%s\n' "$*" >&2
  exit 1
}

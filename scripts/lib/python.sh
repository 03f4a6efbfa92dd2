# Programs in Python that are installed as a list of hashes says, into the target folder. Sourced, after
# words.sh, children.sh and programs.sh.
# shellcheck shell=bash

# Installs what LIST names into FOLDER, unless it is there.
install_pythons() { # LIST FOLDER
  if cmp -s "$1" "$2/requirements.txt"; then return; fi
  say "Installing what $1 names into $2."
  rm -rf "$2"
  attend python3 -m venv "$2" || return
  attend "$2/bin/pip" install --quiet --disable-pip-version-check --require-hashes --requirement "$1" ||
    return
  cp "$1" "$2/requirements.txt"
}

# The programs in tests/pages, which visit the pages of an office with Chromium. Sourced, after
# words.sh and children.sh.
# shellcheck shell=bash

# Installs them and their packages into FOLDER, each package by its hash.
install_page_programs() { # FOLDER
  local list=tests/pages/package-lock.json
  mkdir -p "$1"
  if ! cmp -s "$list" "$1/package-lock.json"; then
    say "Installing what visits the pages into $1."
    cp tests/pages/package.json "$1"
    cp "$list" "$1/package-lock.json.new"
    mv "$1/package-lock.json.new" "$1/package-lock.json"
    attend npm ci --prefix "$1" --ignore-scripts --no-audit --no-fund --loglevel error ||
      { rm "$1/package-lock.json" && fail "What visits the pages could not be installed."; }
  fi
  # Beside their packages, where Node.js looks for them.
  cp -R tests/pages/*.mjs tests/pages/states "$1"
}

# Programs that cargo builds for the checks of this checkout. Sourced, after words.sh.
# shellcheck shell=bash

# Sets CARGO_TOOL to the program NAME of exactly VERSION: the one on the PATH, or else one that is built
# once, into a folder outside the checkout, because building it takes minutes.
find_cargo_tool() { # NAME VERSION
  local cache=${XDG_CACHE_HOME:-$HOME/.cache}/stagedoor/$1-$2
  CARGO_TOOL=$(command -v "$1" || true)
  [[ -n $CARGO_TOOL && $("$CARGO_TOOL" --version) == *" $2" ]] && return
  CARGO_TOOL=$cache/bin/$1
  [[ ! -x $CARGO_TOOL ]] || return 0
  say "Installing $1 $2; this takes a few minutes, once."
  # A target folder of its own: ours would be cleaned with the checkout, and the
  # caller's settings are for our crate. What runs for seconds is not worth minutes of optimising.
  env -u CARGO_TARGET_DIR -u RUSTFLAGS -u RUSTC_WORKSPACE_WRAPPER -u CLIPPY_ARGS \
    CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_PROFILE_RELEASE_CODEGEN_UNITS=256 \
    cargo install "$1" --version "$2" --locked --quiet --root "$cache" ||
    fail "$1 $2 could not be installed."
}

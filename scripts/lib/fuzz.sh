# Guided runs of the fuzz targets of src/fuzz. Sourced, after words.sh, children.sh and programs.sh.
# shellcheck shell=bash

# Packages whose code guides a run, beside our own: parsers that no other package uses, as a package
# that uses them would be compiled once more too.
FUZZED_PACKAGES=(actix-multipart csv csv-core pulldown-cmark serde_html_form signed_note tlog_tiles)
# Targets that run at once: as many as there are processors, unless the caller says otherwise.
FUZZ_AT_ONCE=${FUZZ_AT_ONCE:-$(getconf _NPROCESSORS_ONLN)}

# Runs the targets whose names have one of the PATTERNs, each for SECS seconds; with `keep` in their place
# adds to their corpus what earlier runs found.
fuzz() { # SECS|keep PATTERN…
  local secs=$1
  shift
  if (($# == 0)); then set -- fuzz::; fi
  build_fuzz_program
  FUZZ_TARGETS=$("$FUZZ_PROGRAM" --list --format terse | sed -n 's/: test$//p' | grep '^fuzz::' |
    grep -F "$(printf '%s\n' "$@")") || fail "No fuzz target has one of these in its name: $*"
  if [[ $secs != keep ]]; then say "Each target runs for $secs seconds, as many at once: $FUZZ_AT_ONCE."; fi
  attend fuzz_targets "$secs" ||
    fail "What failed is in src/fuzz/__fuzz__, in the folder crashes of its target: make test tries it from now" \
      "on. Mend the parser, and commit the input with that."
}

fuzz_targets() { # SECS
  xargs -P "$FUZZ_AT_ONCE" -n 1 scripts/lib/fuzz-target "$FUZZ_PROGRAM" "$1" <<<"$FUZZ_TARGETS"
}

# Builds the unit tests of the crate on top as libFuzzer drives them, and sets FUZZ_PROGRAM to their path: no other
# crate has targets, nor the library that its counters need. Packages of another
# profile have other names in the target folder than those of the tests, which stay.
build_fuzz_program() {
  # Without what only a debugger reads, it is built sooner.
  local package messages ours settings=(--config profile.dev.debug=false)
  for package in "${FUZZED_PACKAGES[@]}"; do
    settings+=(--config "profile.dev.package.$package.opt-level=2")
  done
  ours=$(sed -nE 's/^name = "(stagedoor.*)"/\1/p' Cargo.toml crates/*/Cargo.toml | tr -- '-\n' '_ ')
  # Another compiler of our crates, as CI sets it, has no part in this.
  messages=$(
    env -u RUSTC_WORKSPACE_WRAPPER SQLX_OFFLINE=true RUSTC_WRAPPER="$PWD/scripts/lib/fuzz-rustc" \
      FUZZED_CRATES="$ours${FUZZED_PACKAGES[*]//-/_}" \
      cargo test --locked --package stagedoor --lib --no-run --message-format json-render-diagnostics "${settings[@]}"
  )
  FUZZ_PROGRAM=$(grep -F '"name":"stagedoor"' <<<"$messages" | sed -nE 's/.*"executable":"([^"]+)".*/\1/p')
}

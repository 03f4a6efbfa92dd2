#!/usr/bin/env bash
# Two currencies have five minor units in one table for JavaScript and a hundred in another.
#
# Tried: @dinero.js/currencies 2.0.0-alpha.15 and currency-codes 2.2.0, from npm, on Node.js 20.
# Input: the entries of MGA (ariary) and MRU (ouguiya), both of two decimals in ISO 4217.
# Expected: 1,234 minor units are 12.34 in both tables.
# Seen: the first has base 5 and exponent 1, which makes them 246.8; the second has two digits. For all other
# currencies that both have, the number of minor units of a unit is the same.
#
# What follows: an amount travels as minor units beside the exponent that the payment provider states, and the
# table of currencies in src/config/currency.rs is compared with the provider's documentation, not with a package.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @dinero.js/currencies@2.0.0-alpha.15 currency-codes@2.2.0
cat >compare.js <<'END'
const dinero = require("@dinero.js/currencies");
const codes = require("currency-codes");
for (const { code, base, exponent } of Object.values(dinero)) {
  const other = codes.code(code);
  if (other && base ** exponent !== 10 ** other.digits) console.log(code, base ** exponent, 10 ** other.digits);
}
END
seen=$(node compare.js)
printf '%s\n' "$seen"
[[ $seen == $'MGA 5 100\nMRU 5 100' ]] || {
  echo "The behaviour has changed." >&2
  exit 1
}

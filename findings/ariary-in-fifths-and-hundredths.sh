#!/usr/bin/env bash
# What one package counts as three ariary is fifteen hundredths to two others, and 300 of theirs are sixty to it.
#
# Tried: dinero.js 2.0.2 and currency-codes 2.2.0, from npm, on Node.js 20; py-moneyed 3.0, from PyPI, on Python 3.
# Input: the Malagasy ariary (MGA) and the Mauritanian ouguiya (MRU), whose minor units are fifths. ISO 4217 lists
# both with two decimals.
# Expected: the same number of minor units of three ariary in each, or a hint that there is none.
# Seen: dinero.js counts in fifths, so 15 are three, and `toDecimal` of them raises an error; currency-codes says two
# digits and py-moneyed counts hundredths, so 300 are three. An amount that is handed on in minor units becomes
# twenty times as much, or a twentieth. Of won, euros and dinars all three say the same.
#
# What follows: Stripe counts whole ariary, and so do `POINT_PRICE_MINOR`, `amount_minor` and `NAME_minor` here
# (`Currency::n_decimals`). Who computes with such amounts from our documents takes the number as it is for MGA.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check py-moneyed==3.0
npm init -y >/dev/null
npm install --silent --no-audit --no-fund dinero.js@2.0.2 @dinero.js/currencies@2.0.0-alpha.15 currency-codes@2.2.0
cat >read.js <<'JS'
const { dinero, toDecimal, toUnits } = require("dinero.js");
const currencies = require("@dinero.js/currencies");
const { code } = require("currency-codes");
for (const name of ["MGA", "MRU", "KRW", "EUR", "KWD"]) {
  const { base, exponent } = currencies[name];
  console.log(name, "dinero.js", base ** exponent, "currency-codes", 10 ** code(name).digits);
}
const three = dinero({ amount: 15, currency: currencies.MGA });
console.log(...toUnits(three));
try {
  console.log(toDecimal(three));
} catch (error) {
  console.log(error.message);
}
JS
cat >read.py <<'PY'
from moneyed import Money

for name in ("MGA", "MRU", "KRW", "EUR", "KWD"):
    print(name, "py-moneyed", Money(1, name).get_amount_in_sub_unit())
PY
seen=$(node read.js && venv/bin/python read.py)
printf '%s\n' "$seen"
[[ $seen == "MGA dinero.js 5 currency-codes 100
MRU dinero.js 5 currency-codes 100
KRW dinero.js 1 currency-codes 1
EUR dinero.js 100 currency-codes 100
KWD dinero.js 1000 currency-codes 1000
3 0
[Dinero.js] Currency is not decimal.
MGA py-moneyed 100
MRU py-moneyed 100
KRW py-moneyed 1
EUR py-moneyed 100
KWD py-moneyed 1000" ]] || {
  echo "The behaviour has changed." >&2
  exit 1
}

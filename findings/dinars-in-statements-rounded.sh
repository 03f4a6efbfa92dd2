#!/usr/bin/env bash
# Two readers of bank statements round amounts in dinars to hundredths, and one of them then refuses a statement
# because its sum is not right.
#
# Tried: mt940js 1.3.5 and swiftmessageparser 1.2.1, from npm, on Node.js 20; mt-940 5.1.1, from PyPI, on Python 3.
# Input: two statements (SWIFT MT940) in KWD, which has three decimals in ISO 4217: one with a transfer of 12,345,
# and one with a second transfer of 0,005. An amount of field 61 is 15d: up to 15 characters with its comma.
# Expected: 12.345, and 0.005 after it.
# Seen: mt-940 has them. mt940js and swiftmessageparser have 12.35, half of a hundredth more than was paid, and
# swiftmessageparser has 0.01 for the second, twice what was paid. mt940js refuses the second statement: the sum of
# its rounded lines, 12.36, is not the difference of the balances, 12.35.
#
# What follows: nothing of ours reads a bank's statement. An office that is paid in BHD, JOD, KWD, OMR or TND and
# reads its statements with such a package compares whole units, never thousandths.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check mt-940==5.1.1
npm init -y >/dev/null
npm install --silent --no-audit --no-fund mt940js@1.3.5 swiftmessageparser@1.2.1
head=(:20:STATEMENT :25:10020030/1234567 :28C:5/1 ':60F:C261130KWD1000,000')
first=(':61:2612011201C12,345NTRFNONREF//1' ':86:Two tickets')
printf '%s\r\n' "${head[@]}" "${first[@]}" :62F:C261201KWD1012,345 - >one.sta
printf '%s\r\n' "${head[@]}" "${first[@]}" :61:2612011201C0,005NTRFNONREF//2 ':86:A correction' \
  :62F:C261201KWD1012,350 - >two.sta
cat >read.js <<'END'
const { readFileSync } = require("node:fs");
const { Parser } = require("mt940js");
const swift = require("swiftmessageparser");
const told = (name, read) => {
  for (const file of ["one.sta", "two.sta"]) {
    let amounts;
    try {
      const statements = read(readFileSync(file, "utf8"));
      amounts = statements.flatMap(({ transactions }) => transactions.map(({ amount }) => Number(amount)));
    } catch (error) {
      amounts = [error.message.slice(0, 20)];
    }
    console.log(name, ...amounts);
  }
};
told("mt940js", (text) => new Parser().parse(text));
told("swiftmessageparser", (data) => swift.parse({ type: "mt940", data }));
END
cat >read.py <<'END'
import mt940

for file in ("one.sta", "two.sta"):
    print("mt-940", *(transaction.data["amount"].amount for transaction in mt940.parse(file)))
END
seen=$(node read.js && venv/bin/python read.py)
printf '%s\n' "$seen"
[[ $seen == "mt940js 12.35
mt940js Sum of lines (12.36)
swiftmessageparser 12.35
swiftmessageparser 12.35 0.01
mt-940 12.345
mt-940 12.345 0.005" ]] || {
  echo "The behaviour has changed." >&2
  exit 1
}

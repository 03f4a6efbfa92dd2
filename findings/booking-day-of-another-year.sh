#!/usr/bin/env bash
# Money that a bank books in the first days of January is booked a year earlier for two readers of its statements.
#
# Tried: mt940js 1.3.5 and swiftmessageparser 1.2.1, from npm, on Node.js 20; mt-940 5.1.1, from PyPI, on Python 3.
# Input: a statement (SWIFT MT940) with a transfer of value date 31 December 2026 that was booked on 2 January, and
# one of value date 1 January 2027 that was booked on 31 December. The entry date of field 61 has no year (MMDD,
# subfield 2), the value date before it has one (YYMMDD, subfield 1).
# Expected: 2 January 2027 and 31 December 2026, the days of these names next to the value date.
# Seen: mt-940 has them. mt940js and swiftmessageparser put the value date's year in front of the entry date: 2
# January 2026 and 31 December 2027, which is almost a year before the statement, and a year after it.
#
# What follows: nothing of ours reads a bank's statement. Who compares one over New Year with a day's charges
# (/admin/charges.csv) goes by value dates.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check mt-940==5.1.1
npm init -y >/dev/null
npm install --silent --no-audit --no-fund mt940js@1.3.5 swiftmessageparser@1.2.1
printf '%s\r\n' :20:STATEMENT :25:10020030/1234567 :28C:1/1 :60F:C261230EUR1000,00 \
  :61:2612310102C30,00NTRFNONREF//1 ':86:Two tickets' :61:2701011231C45,00NTRFNONREF//2 ':86:Three tickets' \
  :62F:C270102EUR1075,00 - >statement.sta
cat >read.js <<'END'
const text = require("node:fs").readFileSync("statement.sta", "utf8");
const { Parser } = require("mt940js");
const day = ({ entryDate }) => entryDate.toISOString().slice(0, 10);
const told = (name, statements) =>
  console.log(name, ...statements.flatMap(({ transactions }) => transactions.map(day)));
told("mt940js", new Parser().parse(text));
told("swiftmessageparser", require("swiftmessageparser").parse({ type: "mt940", data: text }));
END
cat >read.py <<'END'
import mt940

print("mt-940", *(transaction.data["entry_date"] for transaction in mt940.parse("statement.sta")))
END
seen=$(TZ=UTC node read.js && venv/bin/python read.py)
printf '%s\n' "$seen"
[[ $seen == "mt940js 2026-01-02 2027-12-31
swiftmessageparser 2026-01-02 2027-12-31
mt-940 2027-01-02 2026-12-31" ]] || {
  echo "The behaviour has changed." >&2
  exit 1
}

#!/usr/bin/env bash
# One account in ninety-seven has an IBAN that a package for check digits takes for mistyped.
#
# Tried: @konfirm/iso7064 2.1.3, ibantools 4.5.4 and cdigit 5.0.1, from npm, on Node.js 20; python-stdnum 2.2, from
# PyPI, on Python 3.
# Input: an IBAN with the check digits 98, made of a German bank code and the first account number that gives 98,
# and the same number as MOD 97-10 of ISO 7064 reads it, with the country and the check digits behind the account.
# Expected: all four accept it. The check digits are 98 less a remainder of 0 to 96, so 02 to 98 (ISO 13616-1,
# ISO 7064).
# Seen: ibantools, cdigit and python-stdnum accept it; @konfirm/iso7064 refuses it, and computes 01 where the
# others compute 98.
#
# What follows: nothing of ours asks for an account; the payment provider does. A package that is to check accounts for
# payouts is tried with one of 98 first.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check python-stdnum==2.2
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @konfirm/iso7064@2.1.3 ibantools@4.5.4 cdigit@5.0.1
cat >check.mjs <<'END'
import { Mod97_10 } from "@konfirm/iso7064";
import { mod97_10 } from "cdigit";
import { isValidIBAN } from "ibantools";
// "DE" in digits is 1314.
const checkDigits = (account) => 98n - (BigInt(`10020030${account}1314`) * 100n) % 97n;
let number = 0;
while (checkDigits(String(number).padStart(10, "0")) !== 98n) number += 1;
const account = String(number).padStart(10, "0");
const base = `10020030${account}1314`;
console.log(`DE9810020030${account}`);
console.log("ibantools", isValidIBAN(`DE9810020030${account}`));
console.log("cdigit", mod97_10.validate(`${base}98`), mod97_10.compute(base));
console.log("@konfirm/iso7064", Mod97_10.validate(`${base}98`), Mod97_10.checksum(base));
END
cat >check.py <<'END'
import sys

from stdnum import iban
from stdnum.iso7064 import mod_97_10

text = sys.argv[1]
print("python-stdnum", iban.is_valid(text), mod_97_10.calc_check_digits(f"{text[4:]}1314"))
END
seen=$(node check.mjs)
seen+=$'\n'$(venv/bin/python check.py "${seen%%$'\n'*}")
printf '%s\n' "$seen"
[[ ${seen#*$'\n'} == "ibantools true
cdigit true 98
@konfirm/iso7064 false 01
python-stdnum True 98" ]] || {
  echo "The behaviour has changed." >&2
  exit 1
}

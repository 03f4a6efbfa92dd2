#!/usr/bin/env bash
# Text that no code page of a receipt printer has is printed as question marks, without an error or a warning.
#
# Tried: python-escpos 3.1, from PyPI, on Python 3, with its printer in memory and its default profile.
# Input: a seat's name in Hangul and a price in won, by the documented call for text.
# Expected: an error, a picture of the letters, or the bytes of a Korean code page.
# Seen: each letter of Hangul and the sign of the won is one question mark; the digits and the Latin letters
# between them are printed, so that a ticket looks complete and names no seat.
#
# What follows: a ticket for such a printer is a picture wherever its text has letters that the printer's code
# pages lack, and the template is compared with what was asked for before it is sent.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check python-escpos==3.1
cat >print.py <<'END'
import re
import warnings

from escpos.printer import Dummy

warnings.simplefilter("error")
printer = Dummy()
printer.text("1층 R석 12열 3번 ₩61,000")
# Selections of a code page, ESC t n, are left out.
print(re.sub(rb"\x1bt.", b"", printer.output).decode("ascii"))
END
seen=$(venv/bin/python print.py)
printf '%s\n' "$seen"
[[ $seen == '1? R? 12? 3? ?61,000' ]] || {
  echo "The behaviour has changed." >&2
  exit 1
}

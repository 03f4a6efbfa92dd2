#!/usr/bin/env bash
# The link that ends a mailing is none for one reader of mails when it has brackets or an @, or a remark before it.
#
# Tried: mailparser 3.14.2, from npm, on Node.js 20; listunsub 0.2.0, from PyPI, on Python 3.
# Input: mails whose List-Unsubscribe has one address of the web: a plain one, one with brackets in it, one with an @ in
# its path, and one with a remark in brackets before it.
# Expected: the address each time. It ends at its angle bracket, brackets and @ may stand in it (RFC 3986, 3.3 and 3.4),
# and a remark beside it (RFC 2369, 3.2, has one).
# Seen: listunsub has all four. mailparser has the plain one as `url`. What is between brackets becomes a `name`, and
# the address, without it, an `id`; the one with an @ is a `mail`. A program that asks for `url` finds it in one of four
# and offers no way to leave.
#
# What follows: the link of our optional mails is PUBLIC_URL, a path of letters, and a token of letters, digits, dashes
# and full stops, and no remark stands beside it, so both read it. A program that reads mails of others takes the
# address from the line of the header itself (`headerLines`).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check listunsub==0.2.0
npm init -y >/dev/null
npm install --silent --no-audit --no-fund mailparser@3.14.2
cat >headers.json <<'END'
[
  "<https://tickets.example/leave?show=7>",
  "<https://tickets.example/leave?show=Carmen(evening)>",
  "<https://tickets.example/@hall/leave>",
  "(by a click) <https://tickets.example/leave?show=7>"
]
END
cat >read.js <<'END'
const { simpleParser } = require("mailparser");
(async () => {
  for (const header of require("./headers.json")) {
    const mail = `From: hall@tickets.example\r\nList-Unsubscribe: ${header}\r\nSubject: News\r\n\r\nNews.\r\n`;
    console.log("mailparser", JSON.stringify((await simpleParser(mail)).headers.get("list").unsubscribe));
  }
})();
END
cat >read.py <<'END'
import json

import listunsub

with open("headers.json") as file:
    for header in json.load(file):
        print("listunsub", *listunsub.parse_header(header).uris)
END
seen=$(node read.js && venv/bin/python read.py)
printf '%s\n' "$seen"
[[ $seen == 'mailparser {"url":"https://tickets.example/leave?show=7"}
mailparser {"name":"evening","id":"https://tickets.example/leave?show=Carmen"}
mailparser {"mail":"https://tickets.example/@hall/leave"}
mailparser {"name":"by a click","id":"https://tickets.example/leave?show=7"}
listunsub https://tickets.example/leave?show=7
listunsub https://tickets.example/leave?show=Carmen(evening)
listunsub https://tickets.example/@hall/leave
listunsub https://tickets.example/leave?show=7' ]] || {
  echo "The behaviour has changed." >&2
  exit 1
}

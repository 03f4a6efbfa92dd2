#!/usr/bin/env bash
# A quotation mark in a translation ends it early in the strings file of a wallet pass, which is no list of strings any
# more.
#
# Tried: passkit-generator 3.6.1, from npm, on Node.js 20, with a certificate made for the occasion by OpenSSL; its
# file is read by openstep-parser 2.0.3, from PyPI, on Python 3, as the property list in braces that it is.
# Input: the translation of "Hall" as The "Blue" Hall, by pass.localize, and the same without quotation marks.
# Expected: "Hall" = "The \"Blue\" Hall"; in the file pass.strings: a quotation mark inside a string of a .strings
# file has a backslash before it (Apple's Resource Programming Guide, String Resources).
# Seen: the file has "Hall" = "The "Blue" Hall"; whose string is The and a space. The reader refuses the file, and reads
# it with the backslashes. No error comes while the pass is made and signed.
#
# What follows: our titles and venues may have quotation marks. A program that makes passes of them escapes a
# backslash and a quotation mark itself, or writes typographic ones, as our calendar files do in names.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check openstep-parser==2.0.3
npm init -y >/dev/null
npm install --silent --no-audit --no-fund passkit-generator@3.6.1
openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out certificate.pem -days 30 \
  -subj "/CN=Example/UID=pass.example.tickets/OU=EXAMPLE" 2>/dev/null
cat >make.js <<'END'
const { readFileSync, writeFileSync } = require("node:fs");
const { PKPass } = require("passkit-generator");
const certificate = readFileSync("certificate.pem");
const certificates = { wwdr: certificate, signerCert: certificate, signerKey: readFileSync("key.pem") };
const dot =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
for (const [name, words] of Object.entries({ plain: "The Blue Hall", quoted: 'The "Blue" Hall' })) {
  const pass = new PKPass({ "icon.png": Buffer.from(dot, "base64") }, certificates, {
    passTypeIdentifier: "pass.example.tickets",
    teamIdentifier: "EXAMPLE",
    organizationName: "Example",
    serialNumber: "1",
    description: "Ticket",
  });
  pass.type = "eventTicket";
  pass.primaryFields.push({ key: "hall", value: "Hall" });
  pass.localize("en", { Hall: words });
  writeFileSync(`${name}.pkpass`, pass.getAsBuffer());
}
END
cat >read.py <<'END'
import zipfile

from openstep_parser import OpenStepDecoder


def strings(name):
    return zipfile.ZipFile(f"{name}.pkpass").read("en.lproj/pass.strings").decode()


quoted = strings("quoted")
for text in (strings("plain"), quoted.replace('"Blue"', '\\"Blue\\"'), quoted):
    try:
        print(text, "|", OpenStepDecoder.ParseFromString(f"{{{text}}}")["Hall"])
    except Exception as refusal:
        print(text, "|", refusal)
END
seen=$(node make.js && venv/bin/python read.py)
printf '%s\n' "$seen"
[[ $seen == '"Hall" = "The Blue Hall"; | The Blue Hall
"Hall" = "The \"Blue\" Hall"; | The "Blue" Hall
"Hall" = "The "Blue" Hall"; | Expected ; after a value. Found B @ 16' ]] || {
  echo "The behaviour has changed." >&2
  exit 1
}

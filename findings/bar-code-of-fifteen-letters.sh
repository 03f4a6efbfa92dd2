#!/usr/bin/env bash
# A bar code of fifteen letters reaches a receipt printer without its length, and its first letter says that 123 follow;
# one of sixteen is right.
#
# Tried: escpos 2.5.2, node-thermal-printer 4.6.1 and @point-of-sale/receipt-printer-encoder 4.0.1, from npm, on Node.js
# 20, each writing into memory.
# Input: ticket numbers of 11, 13 and 14 letters as Code 128 by each package's call for bar codes. escpos takes the mark
# of the set of letters, {B, in the text, which makes them 13, 15 and 16; the others write it themselves.
# Expected: GS k I, a byte with the number of letters, {B and the number (Epson's ESC/POS reference, GS k, function B).
# Seen: the other two are right three times. escpos writes the length in hexadecimal digits and reads these in pairs, so
# that nothing is left of d and f, and { stands where the length should: 123. Of 10, for 16, a byte is left. A trial
# of a long number finds nothing, and no error comes. The package's source was mended in 2022
# (lsongdev/node-escpos, 411), and the version that npm installs was not.
#
# What follows: our tickets have QR codes, as PDF files and pictures. A program that prints reservation numbers (ten
# digits and a dash, 13 letters with the mark) by this package draws them as pictures, or writes GS k itself.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund escpos@2.5.2 node-thermal-printer@4.6.1 \
  @point-of-sale/receipt-printer-encoder@4.0.1
cat >print.js <<'END'
const { Printer } = require("escpos");
const { ThermalPrinter, PrinterTypes } = require("node-thermal-printer");
const Encoder = require("@point-of-sale/receipt-printer-encoder");
const packages = {
  escpos: (text) => {
    const printer = new Printer({ open() {}, write() {}, close() {} });
    return printer.barcode(`{B${text}`, "CODE128").buffer.flush();
  },
  "node-thermal-printer": (text) => {
    const printer = new ThermalPrinter({ type: PrinterTypes.EPSON, interface: "tcp://127.0.0.1" });
    printer.code128(text);
    return printer.getBuffer();
  },
  "@point-of-sale/receipt-printer-encoder": (text) =>
    new (Encoder.default ?? Encoder)({ language: "esc-pos" }).barcode(text, "code128").encode(),
};
for (const [name, bytes] of Object.entries(packages)) {
  for (const length of [11, 13, 14]) {
    const sent = Buffer.from(bytes("A".repeat(length))).toString("hex");
    // What stands between GS k I and {B.
    const [, between] = sent.match(/1d6b49(.*?)7b42/);
    console.log(name, length + 2, between || "-");
  }
}
END
seen=$(node print.js)
printf '%s\n' "$seen"
[[ $seen == "escpos 13 -
escpos 15 -
escpos 16 10
node-thermal-printer 13 0d
node-thermal-printer 15 0f
node-thermal-printer 16 10
@point-of-sale/receipt-printer-encoder 13 0d
@point-of-sale/receipt-printer-encoder 15 0f
@point-of-sale/receipt-printer-encoder 16 10" ]] || {
  echo "The behaviour has changed." >&2
  exit 1
}

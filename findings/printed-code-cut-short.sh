#!/usr/bin/env bash
# The QR code that a receipt printer is sent for a seat in Hangul holds the first letter and a half of it for one
# package, and control characters for another.
#
# Tried: node-thermal-printer 4.6.1 and escpos-buffer 4.1.0, from npm, on Node.js 20, with an Epson printer in memory.
# Input: "Seat 12" and "객석 12" by each package's call for a QR code.
# Expected: the printer stores the 7 bytes of the first, and the 9 bytes of the second in UTF-8. In GS ( k, function
# 180, which both send, pL and pH count bytes (Epson's ESC/POS reference).
# Seen: "Seat 12" is right for both. Of "객석 12" node-thermal-printer counts letters and announces 5 bytes before it
# sends 9: the printer stores one letter and two thirds of the next, and prints the other 4 bytes as text. escpos-buffer
# sends the lower half of each letter: twice 29, which is GS, the beginning of a command. Neither says so.
#
# What follows: the QR code of a ticket has nothing but A to Z and 2 to 7, whose letters are bytes. The name of a
# seat is printed beside it, and never in it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund node-thermal-printer@4.6.1 escpos-buffer@4.1.0
cat >print.js <<'END'
const { ThermalPrinter, PrinterTypes } = require("node-thermal-printer");
const { InMemory, Printer } = require("escpos-buffer");
const packages = {
  "node-thermal-printer": async (text) => {
    const printer = new ThermalPrinter({ type: PrinterTypes.EPSON, interface: "tcp://127.0.0.1" });
    printer.printQR(text);
    return printer.getBuffer();
  },
  "escpos-buffer": async (text) => {
    const connection = new InMemory();
    await (await Printer.CONNECT("TM-T20", connection)).qrcode(text);
    return connection.buffer();
  },
};
(async () => {
  for (const [name, bytes] of Object.entries(packages)) {
    for (const text of ["Seat 12", "객석 12"]) {
      const sent = (await bytes(text)).toString("hex");
      // GS ( k, the number of bytes, then function 180 with its data, up to the next GS ( k.
      const [, number, data] = sent.match(/1d286b(....)315030(.*?)1d286b/);
      console.log(name, text, Buffer.from(number, "hex").readUInt16LE() - 3, data.length / 2, data);
    }
  }
})();
END
seen=$(node print.js)
printf '%s\n' "$seen"
[[ $seen == "node-thermal-printer Seat 12 7 7 53656174203132
node-thermal-printer 객석 12 5 9 eab09dec849d203132
escpos-buffer Seat 12 7 7 53656174203132
escpos-buffer 객석 12 5 5 1d1d203132" ]] || {
  echo "The behaviour has changed." >&2
  exit 1
}

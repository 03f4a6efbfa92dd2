#!/usr/bin/env bash
# Order 0012345 is order 12345 to one reader of bank statements, 29 cents are 28.999999999999996, and money that a bank
# takes back is like any other debit.
#
# Tried: iso20022.js 0.0.15, from npm, on Node.js 20; bankstatementparser 0.0.29 and camt053 0.0.23, from PyPI, on
# Python 3.
# Input: a statement (ISO 20022, camt.053.001.02) with credits of 0.29, 1.10 and 4.35 euros for the orders 0012345, 1.50
# and 35195-45801, and a debit of 4.35 with the mark of a reversal, RvslInd, which is true. The schema that camt053
# brings finds it valid.
# Expected: 29, 110 and 435 cents, since the package counts in minor units; the three texts, which are Max140Text in the
# schema; and a reversal.
# Seen: bankstatementparser has the amounts and the texts, camt053 the amounts and the reversal. iso20022.js reads each
# text that looks like a number as one: 12345 and 1.5; the one with a dash is left. It reads true as a value and then
# compares it with the word "true", so that no entry is ever a reversal. It multiplies amounts as binary fractions:
# 28.999999999999996, 110.00000000000001 and 434.99999999999994 cents. No error comes.
#
# What follows: nothing of ours reads a bank's statement. An office that is paid by transfer as well asks for the number
# of a reservation with its dash, and a program that reads its statements by this package rounds amounts and looks for
# RvslInd itself.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check bankstatementparser==0.0.29 camt053==0.0.23 lxml==6.1.3 &
npm init -y >/dev/null
npm install --silent --no-audit --no-fund iso20022.js@0.0.15
wait $!
# Writes an entry: amount, direction, text, and what stands before its state.
entry() {
  printf '<Ntry><Amt Ccy="EUR">%s</Amt><CdtDbtInd>%s</CdtDbtInd>%s<Sts>BOOK</Sts>' "$1" "$2" "$4"
  printf '<BookgDt><Dt>2026-12-01</Dt></BookgDt><ValDt><Dt>2026-12-01</Dt></ValDt><BkTxCd><Prtry><Cd>1</Cd></Prtry>'
  printf '</BkTxCd><NtryDtls><TxDtls><Refs><EndToEndId>E</EndToEndId></Refs><AmtDtls><TxAmt>'
  printf '<Amt Ccy="EUR">%s</Amt></TxAmt></AmtDtls><RmtInf><Ustrd>%s</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>' \
    "$1" "$3"
}
# Writes a balance: its kind and amount.
balance() {
  printf '<Bal><Tp><CdOrPrtry><Cd>%s</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">%s</Amt><CdtDbtInd>CRDT</CdtDbtInd>' "$1" "$2"
  printf '<Dt><Dt>2026-12-01</Dt></Dt></Bal>'
}
{
  printf '<?xml version="1.0" encoding="UTF-8"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02">'
  printf '<BkToCstmrStmt><GrpHdr><MsgId>M</MsgId><CreDtTm>2026-12-01T20:00:00</CreDtTm></GrpHdr><Stmt><Id>S</Id>'
  printf '<ElctrncSeqNb>1</ElctrncSeqNb><CreDtTm>2026-12-01T20:00:00</CreDtTm><FrToDt>'
  printf '<FrDtTm>2026-12-01T00:00:00</FrDtTm><ToDtTm>2026-12-01T23:59:59</ToDtTm></FrToDt><Acct><Id>'
  printf '<IBAN>DE89370400440532013000</IBAN></Id><Ccy>EUR</Ccy><Ownr><Nm>Theatre</Nm></Ownr><Svcr><FinInstnId>'
  printf '<BIC>COBADEFFXXX</BIC></FinInstnId></Svcr></Acct>'
  balance OPBD 100.00
  balance CLBD 101.39
  entry 0.29 CRDT 0012345 ""
  entry 1.10 CRDT 1.50 ""
  entry 4.35 CRDT 35195-45801 ""
  entry 4.35 DBIT 35195-45801 "<RvslInd>true</RvslInd>"
  printf '</Stmt></BkToCstmrStmt></Document>\n'
} >statement.xml
cat >read.mjs <<'END'
import { readFileSync } from "node:fs";
import { CashManagementEndOfDayReport } from "iso20022.js";
const { statements } = CashManagementEndOfDayReport.fromXML(readFileSync("statement.xml", "utf8"));
for (const { amount, reversal, transactions } of statements[0].entries) {
  console.log("iso20022.js", amount, JSON.stringify(transactions[0].remittanceInformation), reversal);
}
END
cat >read.py <<'END'
from importlib.resources import files

import bankstatementparser
import camt053
from lxml import etree

schema = etree.XMLSchema(etree.parse(str(files("camt053") / "xsd" / "camt.053.001.02.xsd")))
print("valid", schema.validate(etree.parse("statement.xml")))
for row in bankstatementparser.CamtParser("statement.xml").parse().to_dict("records"):
    print("bankstatementparser", row["Amount"], repr(row["Reference"]))
with open("statement.xml") as file:
    (statement,) = camt053.parse_document(file.read()).statements
for entry in statement.entries:
    print("camt053", entry.amount, entry.reversal_indicator)
END
seen=$(node read.mjs && venv/bin/python read.py)
printf '%s\n' "$seen"
[[ $seen == "iso20022.js 28.999999999999996 12345 false
iso20022.js 110.00000000000001 1.5 false
iso20022.js 434.99999999999994 \"35195-45801\" false
iso20022.js 434.99999999999994 \"35195-45801\" false
valid True
bankstatementparser 0.29 '0012345'
bankstatementparser 1.10 '1.50'
bankstatementparser 4.35 '35195-45801'
bankstatementparser -4.35 '35195-45801'
camt053 0.29 False
camt053 1.10 False
camt053 4.35 False
camt053 4.35 True" ]] || {
  echo "The behaviour has changed." >&2
  exit 1
}

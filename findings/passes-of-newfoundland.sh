#!/usr/bin/env bash
# A wallet pass that is made in Newfoundland says that its show begins at 2026-12-01T19:30-04:-30.
#
# Tried: @walletpass/pass-js 6.9.8, from npm, on Node.js 20; of 7.2.0, which needs Node.js 24, the function that writes
# times alone.
# Input: a show that begins at 23:00 UTC on 1 December 2026, as the relevant date of an event ticket, on machines in the
# zones of London, New York, Kolkata, St. John's and the Marquesas.
# Expected: the same moment everywhere, with an offset of the form -03:30 (ISO 8601, as Apple's Pass.relevantDate asks;
# W3C's note on date and time formats).
# Seen: right in whole hours and east of Greenwich. Where the offset is negative and has half an hour, its hours are
# rounded away from zero before the minutes are counted: -04:-30 for -03:30, and -10:-30 for -09:30. Both versions write
# it, without an error.
#
# What follows: the zone of the machine decides, not of the venue, so a program that makes passes of our times with it
# runs in UTC (TZ=UTC). Our documents have moments in UTC.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @walletpass/pass-js@6.9.8 newer@npm:@walletpass/pass-js@7.2.0
cat >make.mjs <<'END'
import { createRequire } from "node:module";
const { Template } = createRequire(import.meta.url)("@walletpass/pass-js");
const { getW3CDateString } = await import("./node_modules/newer/dist/lib/w3cdate.js");
const template = new Template("eventTicket", {
  passTypeIdentifier: "pass.example.tickets",
  teamIdentifier: "EXAMPLE",
  organizationName: "Example",
  description: "Ticket",
});
const begins = new Date("2026-12-01T23:00:00Z");
const pass = template.createPass({ serialNumber: "1" });
pass.relevantDate = begins;
console.log(process.env.TZ, JSON.parse(JSON.stringify(pass)).relevantDate, getW3CDateString(begins));
END
seen=$(for zone in Europe/London America/New_York Asia/Kolkata America/St_Johns Pacific/Marquesas; do
  TZ=$zone node make.mjs
done)
printf '%s\n' "$seen"
[[ $seen == "Europe/London 2026-12-01T23:00+00:00 2026-12-01T23:00+00:00
America/New_York 2026-12-01T18:00-05:00 2026-12-01T18:00-05:00
Asia/Kolkata 2026-12-02T04:30+05:30 2026-12-02T04:30+05:30
America/St_Johns 2026-12-01T19:30-04:-30 2026-12-01T19:30-04:-30
Pacific/Marquesas 2026-12-01T13:30-10:-30 2026-12-01T13:30-10:-30" ]] || {
  echo "The behaviour has changed." >&2
  exit 1
}

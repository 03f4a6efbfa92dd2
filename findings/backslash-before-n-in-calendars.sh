#!/usr/bin/env bash
# A backslash before an n, in the title of an event, becomes a line end in two of five readers of calendar files.
#
# Tried: icalendar 7.3.2, ics 0.7.3 and vobject 0.9.9, from PyPI, on Python 3; ical.js 2.2.1 and node-ical 0.26.1,
# from npm, on Node.js 20.
# Input: an event with SUMMARY:East\\north stage. RFC 5545 (section 3.3.11) writes a backslash as two, so the title is
# East\north stage, on one line.
# Expected: all five read East\north stage.
# Seen: icalendar, vobject and ical.js do. ics and node-ical replace the two letters \n before they take the doubled
# backslash apart: East, a backslash, a line end, and orth stage.
#
# What follows: `make test-calendars`, which compares these five on our own files, has backslashes before other letters;
# our files stay as the RFC says, because the other three and what people use read them right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check icalendar==7.3.2 ics==0.7.3 vobject==0.9.9
npm init -y >/dev/null
npm install --silent --no-audit --no-fund ical.js@2.2.1 node-ical@0.26.1
printf '%s\r\n' BEGIN:VCALENDAR VERSION:2.0 'PRODID:-//Example//Tickets//EN' BEGIN:VEVENT UID:1@tickets.example \
  DTSTAMP:20261101T000000Z DTSTART:20261201T100000Z DTEND:20261201T120000Z 'SUMMARY:East\\north stage' \
  END:VEVENT END:VCALENDAR >event.ics
cat >read.py <<'END'
import json
import warnings

warnings.simplefilter("ignore")
import icalendar
import ics
import vobject

with open("event.ics", newline="") as file:
    text = file.read()
titles = {
    "icalendar": str(icalendar.Calendar.from_ical(text).walk("VEVENT")[0]["SUMMARY"]),
    "ics": next(iter(ics.Calendar(text).events)).name,
    "vobject": vobject.readOne(text).vevent.summary.value,
}
for reader, title in titles.items():
    print(reader, json.dumps(title))
END
cat >read.mjs <<'END'
import { readFileSync } from "node:fs";

import ICAL from "ical.js";
import nodeIcal from "node-ical";

const text = readFileSync("event.ics", "utf8");
const event = new ICAL.Component(ICAL.parse(text)).getFirstSubcomponent("vevent");
const read = Object.values(nodeIcal.sync.parseICS(text)).find((each) => each.type === "VEVENT");
console.log("ical.js", JSON.stringify(event.getFirstPropertyValue("summary")));
console.log("node-ical", JSON.stringify(read.summary));
END
seen=$(venv/bin/python read.py && node read.mjs)
printf '%s\n' "$seen"
[[ $seen == 'icalendar "East\\north stage"
ics "East\\\north stage"
vobject "East\\north stage"
ical.js "East\\north stage"
node-ical "East\\\north stage"' ]] || {
  echo "The behaviour has changed." >&2
  exit 1
}

#!/usr/bin/env bash
# A run of three shows on listed dates is one show for two of four readers of calendar files, and two shows
# without the first one for a third.
#
# Tried: ical-expander 3.2.0 (with ical.js 1.5.0) and node-ical 0.26.1 (with rrule-temporal 1.6.0), from npm, on
# Node.js 20; icalevents 0.3.1 and recurring-ical-events 3.8.2 (both with icalendar 7.3.2), from PyPI, on Python 3.
# Input: an event on 1 December whose RDATE names two more dates, without a rule of recurrence.
# Expected: three shows: RDATE defines the set together with DTSTART, which is its first instance (RFC 5545,
# 3.8.5.2).
# Seen: recurring-ical-events has all three; ical-expander leaves out the first one; node-ical and icalevents have
# nothing but the first one. None of them says so.
#
# What follows: each of our calendar files has one show with one beginning. A run is a file for each show, never
# RDATE.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check icalevents==0.3.1 recurring-ical-events==3.8.2 \
  icalendar==7.3.2 x-wr-timezone==2.0.1 python-dateutil==2.9.0.post0
npm init -y >/dev/null
npm install --silent --no-audit --no-fund ical-expander@3.2.0 ical.js@1.5.0 node-ical@0.26.1 rrule-temporal@1.6.0
printf '%s\r\n' BEGIN:VCALENDAR VERSION:2.0 'PRODID:-//Example//Tickets//EN' BEGIN:VEVENT UID:1@tickets.example \
  DTSTAMP:20261101T000000Z DTSTART:20261201T100000Z DTEND:20261201T120000Z \
  RDATE:20261204T100000Z,20261209T100000Z 'SUMMARY:A concert' END:VEVENT END:VCALENDAR >run.ics
cat >read.mjs <<'END'
import fs from "node:fs";
import IcalExpander from "ical-expander";
import nodeIcal from "node-ical";
const text = fs.readFileSync("run.ics", "utf8");
const [from, to] = [new Date("2026-11-01T00:00:00Z"), new Date("2027-01-01T00:00:00Z")];
const days = (dates) => dates.map((date) => date.getUTCDate()).sort((one, other) => one - other).join(" ");
const { events, occurrences } = new IcalExpander({ ics: text, maxIterations: 100 }).between(from, to);
console.log("ical-expander", days([...events, ...occurrences].map((each) => each.startDate.toJSDate())));
const event = Object.values(nodeIcal.sync.parseICS(text)).find((each) => each.type === "VEVENT");
console.log("node-ical", days(nodeIcal.expandRecurringEvent(event, { from, to }).map((each) => each.start)));
END
cat >read.py <<'END'
from datetime import datetime, timezone

import icalendar
import recurring_ical_events
from icalevents import icalevents

text = open("run.ics", "rb").read()
of = {"start": datetime(2026, 11, 1, tzinfo=timezone.utc), "end": datetime(2027, 1, 1, tzinfo=timezone.utc)}
print("icalevents", *sorted(event.start.day for event in icalevents.events(string_content=text, **of)))
found = recurring_ical_events.of(icalendar.Calendar.from_ical(text)).between(of["start"], of["end"])
print("recurring-ical-events", *sorted(event.start.day for event in found))
END
seen=$(node read.mjs && venv/bin/python read.py)
printf '%s\n' "$seen"
[[ $seen == "ical-expander 4 9
node-ical 1
icalevents 1
recurring-ical-events 1 4 9" ]] || {
  echo "The behaviour has changed." >&2
  exit 1
}

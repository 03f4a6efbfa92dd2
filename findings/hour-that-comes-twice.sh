#!/usr/bin/env bash
# A late show in the hour that the clocks repeat begins an hour later for three of six readers of calendar files.
#
# Tried: icalendar 7.3.2, ics 0.7.3 (with arrow 1.4.0) and vobject 0.9.9, from PyPI, on Python 3 with tzdata 2026.6;
# ical.js 2.2.1, ts-ics 2.4.6 and node-ical 0.26.1 (with rrule-temporal 1.6.0), from npm, on Node.js 20.
# Input: a show at 01:30 on 25 October 2026 in London, and one at 01:30 on 1 November 2026 in New York, with the
# VTIMEZONE of each zone in the file. Each of these times comes twice, in summer time and an hour later.
# Expected: 00:30 and 05:30 UTC: a local time that occurs more than once means its first occurrence (RFC 5545,
# 3.3.5).
# Seen: icalendar, ics and vobject say so. ical.js, ts-ics and node-ical say 01:30 and 06:30, the second occurrence.
#
# What follows: the moments in our calendar files are in UTC, in which no hour comes twice.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check icalendar==7.3.2 ics==0.7.3 arrow==1.4.0 vobject==0.9.9 \
  tzdata==2026.6 python-dateutil==2.9.0.post0
npm init -y >/dev/null
npm install --silent --no-audit --no-fund ical.js@2.2.1 ts-ics@2.4.6 node-ical@0.26.1 rrule-temporal@1.6.0
# Writes a show: name of the file, zone, date, rules of summer and winter, and the offsets of both.
write() {
  printf '%s\r\n' BEGIN:VCALENDAR VERSION:2.0 'PRODID:-//Example//Tickets//EN' BEGIN:VTIMEZONE "TZID:$2" \
    BEGIN:DAYLIGHT "DTSTART:$4" "RRULE:FREQ=YEARLY;$5" "TZOFFSETFROM:$9" "TZOFFSETTO:$8" END:DAYLIGHT \
    BEGIN:STANDARD "DTSTART:$6" "RRULE:FREQ=YEARLY;$7" "TZOFFSETFROM:$8" "TZOFFSETTO:$9" END:STANDARD END:VTIMEZONE \
    BEGIN:VEVENT UID:1@tickets.example DTSTAMP:20261001T000000Z "DTSTART;TZID=$2:$3T013000" DURATION:PT1H \
    'SUMMARY:A late show' END:VEVENT END:VCALENDAR >"$1"
}
write london.ics Europe/London 20261025 20070325T010000 'BYMONTH=3;BYDAY=-1SU' 20071028T020000 \
  'BYMONTH=10;BYDAY=-1SU' +0100 +0000
write york.ics America/New_York 20261101 20070311T020000 'BYMONTH=3;BYDAY=2SU' 20071104T020000 \
  'BYMONTH=11;BYDAY=1SU' -0400 -0500
cat >read.py <<'END'
import warnings

warnings.simplefilter("ignore")
from datetime import timezone

import icalendar
import ics
import vobject

READERS = {
    "icalendar": lambda text: icalendar.Calendar.from_ical(text).walk("VEVENT")[0].start,
    "ics": lambda text: next(iter(ics.Calendar(text).events)).begin.datetime,
    "vobject": lambda text: vobject.readOne(text).vevent.dtstart.value,
}
texts = [open(name, newline="").read() for name in ("london.ics", "york.ics")]
for name, read in READERS.items():
    print(name, *(read(text).astimezone(timezone.utc).strftime("%H:%M") for text in texts))
END
cat >read.mjs <<'END'
import { readFileSync } from "node:fs";
import ICAL from "ical.js";
import nodeIcal from "node-ical";
import { convertIcsCalendar } from "ts-ics";
const readers = {
  "ical.js": (text) => {
    const calendar = new ICAL.Component(ICAL.parse(text));
    return new ICAL.Event(calendar.getFirstSubcomponent("vevent")).startDate.toJSDate();
  },
  "ts-ics": (text) => convertIcsCalendar(undefined, text).events[0].start.date,
  "node-ical": (text) => Object.values(nodeIcal.sync.parseICS(text)).find(({ type }) => type === "VEVENT").start,
};
const texts = ["london.ics", "york.ics"].map((name) => readFileSync(name, "utf8"));
for (const [name, read] of Object.entries(readers)) {
  console.log(name, ...texts.map((text) => read(text).toISOString().slice(11, 16)));
}
END
seen=$(PYTHONTZPATH='' venv/bin/python read.py && TZ=UTC node read.mjs)
printf '%s\n' "$seen"
[[ $seen == "icalendar 00:30 05:30
ics 00:30 05:30
vobject 00:30 05:30
ical.js 01:30 06:30
ts-ics 01:30 06:30
node-ical 01:30 06:30" ]] || {
  echo "The behaviour has changed." >&2
  exit 1
}

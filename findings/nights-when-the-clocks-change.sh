#!/usr/bin/env bash
# None of seven readers of calendar files ends both a night of eight hours and a pass of one day at the right time when
# the clocks change.
#
# Tried: icalendar 7.3.2, ics 0.7.3 (with arrow 1.4.0), ical 14.3.1 and icalevents 0.3.1 (with pytz 2026.6), from
# PyPI, on Python 3 with tzdata 2026.6; ical.js 2.2.1, ts-ics 2.4.6 and node-ical 0.27.2, from npm, on Node.js 20.
# Input: a night that begins at 22:00 on 24 October 2026 in London with DURATION:PT8H, and a pass that begins at 20:00
# on this day with DURATION:P1D. In the night between, the clocks go back an hour.
# Expected: 05:00 and 20:00 UTC, which are the times of London then. A day of a duration is one of the calendar and
# depends on its position there, an hour is exact (RFC 5545, 3.3.6).
# Seen: icalendar, ics, ical and ical.js end the night at 06:00, after nine hours. icalevents, ts-ics and node-ical end
# the pass at 19:00, an hour early. Once icalevents is imported into the same program, icalendar, which reads the night
# too long by itself, has the right night and the wrong pass.
#
# What follows: our calendar files say when a show ends as a moment in UTC (DTEND), and never for how long it lasts. A
# calendar that is made out of our times keeps it so.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check icalendar==7.3.2 ics==0.7.3 arrow==1.4.0 ical==14.3.1 \
  icalevents==0.3.1 pytz==2026.6 tzdata==2026.6 python-dateutil==2.9.0.post0
npm init -y >/dev/null
npm install --silent --no-audit --no-fund ical.js@2.2.1 ts-ics@2.4.6 node-ical@0.27.2
# Writes an event: name of the file, time of its beginning and duration.
write() {
  printf '%s\r\n' BEGIN:VCALENDAR VERSION:2.0 'PRODID:-//Example//Tickets//EN' BEGIN:VTIMEZONE TZID:Europe/London \
    BEGIN:DAYLIGHT DTSTART:20070325T010000 'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU' TZOFFSETFROM:+0000 \
    TZOFFSETTO:+0100 END:DAYLIGHT BEGIN:STANDARD DTSTART:20071028T020000 'RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU' \
    TZOFFSETFROM:+0100 TZOFFSETTO:+0000 END:STANDARD END:VTIMEZONE BEGIN:VEVENT UID:1@tickets.example \
    DTSTAMP:20261001T000000Z "DTSTART;TZID=Europe/London:20261024T$2" "DURATION:$3" SUMMARY:Festival END:VEVENT \
    END:VCALENDAR >"$1"
}
write night.ics 220000 PT8H
write pass.ics 200000 P1D
cat >read.py <<'END'
import sys
import warnings

warnings.simplefilter("ignore")
from datetime import datetime, timezone


def with_icalendar(text):
    import icalendar

    return icalendar.Calendar.from_ical(text).walk("VEVENT")[0].end


def with_icalendar_beside_icalevents(text):
    import icalevents.icalevents

    return with_icalendar(text)


def with_ics(text):
    import ics

    return next(iter(ics.Calendar(text).events)).end.datetime


def with_ical(text):
    from ical.calendar_stream import IcsCalendarStream

    return IcsCalendarStream.calendar_from_ics(text).events[0].end


def with_icalevents(text):
    from icalevents import icalevents

    span = {"start": datetime(2026, 10, 20), "end": datetime(2026, 10, 28)}
    return icalevents.events(string_content=text.encode(), **span)[0].end


name = sys.argv[1]
read = globals()[f"with_{name.replace(' ', '_')}"]
texts = [open(file, newline="").read() for file in ("night.ics", "pass.ics")]
print(f"{name}:", *(read(text).astimezone(timezone.utc).strftime("%H:%M") for text in texts))
END
cat >read.mjs <<'END'
import { readFileSync } from "node:fs";
import ICAL from "ical.js";
import nodeIcal from "node-ical";
import { convertIcsCalendar, getEventEndFromDuration } from "ts-ics";
const readers = {
  "ical.js": (text) => {
    const calendar = new ICAL.Component(ICAL.parse(text));
    return new ICAL.Event(calendar.getFirstSubcomponent("vevent")).endDate.toJSDate();
  },
  "ts-ics": (text) => {
    const [{ start, duration }] = convertIcsCalendar(undefined, text).events;
    return getEventEndFromDuration(start.date, duration);
  },
  "node-ical": (text) => Object.values(nodeIcal.sync.parseICS(text)).find(({ type }) => type === "VEVENT").end,
};
const texts = ["night.ics", "pass.ics"].map((name) => readFileSync(name, "utf8"));
for (const [name, read] of Object.entries(readers)) {
  console.log(`${name}:`, ...texts.map((text) => read(text).toISOString().slice(11, 16)));
}
END
# Each in a process of its own, since the import of one changes another.
seen=$(
  for name in icalendar ics ical icalevents 'icalendar beside icalevents'; do
    PYTHONTZPATH='' TZ=UTC venv/bin/python read.py "$name"
  done
  TZ=UTC node read.mjs
)
printf '%s\n' "$seen"
[[ $seen == "icalendar: 06:00 20:00
ics: 06:00 20:00
ical: 06:00 20:00
icalevents: 05:00 19:00
icalendar beside icalevents: 05:00 19:00
ical.js: 06:00 20:00
ts-ics: 05:00 19:00
node-ical: 05:00 19:00" ]] || {
  echo "The behaviour has changed." >&2
  exit 1
}

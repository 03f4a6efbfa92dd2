#!/usr/bin/env bash
# A show in a time zone that its calendar file defines itself begins almost nine hours late for three of seven
# readers, which ignore the definition.
#
# Tried: ics 0.7.3, vobject 0.9.9 and icalendar 7.3.2, from PyPI, on Python 3; node-ical 0.26.1 (with
# rrule-temporal 1.6.0), ical 0.8.0 (with rrule 2.4.1), ical.js 2.2.1 and ts-ics 2.4.6, from npm, on Node.js 20; on
# a machine in UTC.
# Input: a show at 19:00 in the zone "Venue", which a VTIMEZONE of the file defines as UTC+08:45, as the towns
# around Eucla in Australia have it.
# Expected: 10:15 UTC. The name of a zone is free text, and the VTIMEZONE of this name in the same file says what
# it means (RFC 5545, 3.2.19 and 3.6.5).
# Seen: icalendar, vobject, ical.js and ts-ics say 10:15. ics and node-ical know only names of the IANA database,
# ical knows no zone at all, and all three say 19:00 UTC, without an error.
#
# What follows: the moments in our calendar files are in UTC, which needs no definition.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check ics==0.7.3 vobject==0.9.9 icalendar==7.3.2 \
  arrow==1.4.0 python-dateutil==2.9.0.post0
npm init -y >/dev/null
npm install --silent --no-audit --no-fund node-ical@0.26.1 rrule-temporal@1.6.0 ical.js@2.2.1 ts-ics@2.4.6 \
  ical@0.8.0 rrule@2.4.1
printf '%s\r\n' BEGIN:VCALENDAR VERSION:2.0 'PRODID:-//Example//Tickets//EN' \
  BEGIN:VTIMEZONE TZID:Venue BEGIN:STANDARD DTSTART:19700101T000000 TZOFFSETFROM:+0845 TZOFFSETTO:+0845 \
  END:STANDARD END:VTIMEZONE BEGIN:VEVENT UID:1@tickets.example DTSTAMP:20261101T000000Z \
  'DTSTART;TZID=Venue:20261201T190000' 'DTEND;TZID=Venue:20261201T210000' 'SUMMARY:A concert' \
  END:VEVENT END:VCALENDAR >event.ics
cat >read.py <<'END'
import warnings

warnings.simplefilter("ignore")
from datetime import timezone

import icalendar
import ics
import vobject

text = open("event.ics", newline="").read()


def told(name, moment):
    print(name, moment.astimezone(timezone.utc).strftime("%H:%M"))


told("icalendar", icalendar.Calendar.from_ical(text).walk("VEVENT")[0].start)
told("vobject", vobject.readOne(text).vevent.dtstart.value)
told("ics", next(iter(ics.Calendar(text).events)).begin.datetime)
END
cat >read.mjs <<'END'
import fs from "node:fs";
import ICAL from "ical.js";
import ical from "ical";
import nodeIcal from "node-ical";
import { convertIcsCalendar } from "ts-ics";
const text = fs.readFileSync("event.ics", "utf8");
const told = (name, moment) => console.log(name, moment.toISOString().slice(11, 16));
const event = (all) => Object.values(all).find((each) => each.type === "VEVENT");
const component = new ICAL.Component(ICAL.parse(text)).getFirstSubcomponent("vevent");
told("ical.js", new ICAL.Event(component).startDate.toJSDate());
told("ts-ics", convertIcsCalendar(undefined, text).events[0].start.date);
told("node-ical", event(nodeIcal.sync.parseICS(text)).start);
told("ical", event(ical.parseICS(text)).start);
END
seen=$(venv/bin/python read.py && TZ=UTC node read.mjs)
printf '%s\n' "$seen"
[[ $seen == "icalendar 10:15
vobject 10:15
ics 19:00
ical.js 10:15
ts-ics 10:15
node-ical 19:00
ical 19:00" ]] || {
  echo "The behaviour has changed." >&2
  exit 1
}

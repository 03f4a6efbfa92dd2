#!/usr/bin/env bash
# A quotation mark in an organiser's name, written as RFC 6868 says, is shown as ^' by three of five readers of
# calendar files.
#
# Tried: icalendar 7.3.2, ics 0.7.3 and vobject 0.9.9, from PyPI, on Python 3; ical.js 2.2.1 and node-ical 0.26.1,
# from npm, on Node.js 20.
# Input: an event with ORGANIZER;CN=The ^'Blue^' Hall, which RFC 6868 (of 2013) defines as The "Blue" Hall. A
# parameter can carry a quotation mark in no other way.
# Expected: all five show The "Blue" Hall.
# Seen: icalendar and ical.js do; ics, vobject and node-ical leave the carets in the name.
#
# What follows: a name in a parameter of our calendar files has typographic quotation marks in the place of
# straight ones, which every reader shows as they are.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check icalendar==7.3.2 ics==0.7.3 vobject==0.9.9
npm init -y >/dev/null
npm install --silent --no-audit --no-fund ical.js@2.2.1 node-ical@0.26.1
printf '%s\r\n' BEGIN:VCALENDAR VERSION:2.0 'PRODID:-//Example//Tickets//EN' BEGIN:VEVENT UID:1@tickets.example \
  DTSTAMP:20261101T000000Z DTSTART:20261201T100000Z DTEND:20261201T120000Z 'SUMMARY:A concert' \
  "ORGANIZER;CN=The ^'Blue^' Hall:mailto:hall@tickets.example" END:VEVENT END:VCALENDAR >event.ics
cat >read.py <<'END'
import warnings

warnings.simplefilter("ignore")
import icalendar
import ics
import vobject

text = open("event.ics", newline="").read()
print("icalendar", icalendar.Calendar.from_ical(text).walk("VEVENT")[0]["ORGANIZER"].params["CN"])
print("ics", next(iter(ics.Calendar(text).events)).organizer.common_name)
print("vobject", vobject.readOne(text).vevent.organizer.cn_param)
END
cat >read.mjs <<'END'
import fs from "node:fs";
import ICAL from "ical.js";
import nodeIcal from "node-ical";
const text = fs.readFileSync("event.ics", "utf8");
const event = new ICAL.Component(ICAL.parse(text)).getFirstSubcomponent("vevent");
console.log("ical.js", event.getFirstProperty("organizer").getParameter("cn"));
const read = Object.values(nodeIcal.sync.parseICS(text)).find((each) => each.type === "VEVENT");
console.log("node-ical", read.organizer.params.CN);
END
seen=$(venv/bin/python read.py && node read.mjs)
printf '%s\n' "$seen"
[[ $seen == "icalendar The \"Blue\" Hall
ics The ^'Blue^' Hall
vobject The ^'Blue^' Hall
ical.js The \"Blue\" Hall
node-ical The ^'Blue^' Hall" ]] || {
  echo "The behaviour has changed." >&2
  exit 1
}

#!/usr/bin/env bash
# A calendar file that is read and written again by the ics package reminds at another hour and gives a guest
# another name and address.
#
# Tried: ics 0.7.3, from PyPI, on Python 3; read back with icalendar 7.3.2.
# Input: an event of two hours whose reminder is an hour before its end (TRIGGER;RELATED=END), with an attendee
# whose name has a colon and is therefore quoted, as RFC 5545 (3.8.6.3 and 3.2) has both.
# Expected: the same trigger and the quoted name.
# Seen: RELATED=END is gone, so the reminder comes an hour before the beginning, two hours earlier; the quotes
# are gone, so the name ends at its colon and the address begins there.
#
# What follows: our calendar files have triggers that are relative to the beginning, and no name with a colon, a
# semicolon or a comma stands in a parameter of theirs.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check ics==0.7.3 icalendar==7.3.2
cat >again.py <<'END'
import warnings

warnings.simplefilter("ignore")
import icalendar
import ics

LINES = [
    "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Example//Tickets//EN",
    "BEGIN:VEVENT", "UID:1@tickets.example", "DTSTAMP:20261101T000000Z",
    "DTSTART:20261201T100000Z", "DTEND:20261201T120000Z", "SUMMARY:A concert",
    'ATTENDEE;CN="Stalls: row 3":mailto:guest@tickets.example',
    "BEGIN:VALARM", "ACTION:DISPLAY", "DESCRIPTION:Last train", "TRIGGER;RELATED=END:-PT1H", "END:VALARM",
    "END:VEVENT", "END:VCALENDAR", "",
]
text = "\r\n".join(LINES)
again = ics.Calendar(text).serialize()


def told(name, text):
    event = icalendar.Calendar.from_ical(text).walk("VEVENT")[0]
    trigger = event.walk("VALARM")[0]["TRIGGER"]
    guest = event["ATTENDEE"]
    print(f"{name}: {trigger.params.get('RELATED', 'START')}, {guest.params['CN']!r}, {str(guest)!r}")


told("given", text)
told("again", again)
END
seen=$(venv/bin/python again.py)
printf '%s\n' "$seen"
[[ $seen == "given: END, 'Stalls: row 3', 'mailto:guest@tickets.example'
again: START, 'Stalls', ' row 3:mailto:guest@tickets.example'" ]] || {
  echo "The behaviour has changed." >&2
  exit 1
}

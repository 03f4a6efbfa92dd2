#!/usr/bin/env bash
# A calendar file without a scale gets one that does not exist when the ics package writes it again, and says only
# at its end that it cancels.
#
# Tried: ics 0.7.3, from PyPI, on Python 3.
# Input: a cancelled event in a calendar with METHOD:CANCEL and without CALSCALE, which then is GREGORIAN (RFC 5545,
# 3.7.1, the only value that it has).
# Expected: no CALSCALE, or CALSCALE:GREGORIAN, and METHOD before the first event (3.6: properties of a calendar
# stand before its components).
# Seen: CALSCALE:GEORGIAN, and METHOD:CANCEL behind the event. A reader that takes the scale at its word knows none of
# that name, and one that reads as it goes has added the event before it learns what is to be done with it.
#
# What follows: each event of our calendar files says STATUS:CANCELLED itself, and SEQUENCE rises with it, so that what
# it means does not hang on the METHOD of the file.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check ics==0.7.3
cat >again.py <<'END'
import warnings

warnings.simplefilter("ignore")
import ics

LINES = [
    "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Example//Tickets//EN", "METHOD:CANCEL",
    "BEGIN:VEVENT", "UID:1@tickets.example", "DTSTAMP:20261101T000000Z", "DTSTART:20261201T100000Z",
    "DTEND:20261201T120000Z", "SEQUENCE:2", "STATUS:CANCELLED", "SUMMARY:A concert",
    "END:VEVENT", "END:VCALENDAR", "",
]
lines = ics.Calendar("\r\n".join(LINES)).serialize().split()
scale = [line for line in lines if line.startswith("CALSCALE")]
is_behind = lines.index("METHOD:CANCEL") > lines.index("END:VEVENT")
print(ics.__version__, scale, "METHOD behind the event:", is_behind)
raise SystemExit(0 if scale == ["CALSCALE:GEORGIAN"] and is_behind else "the package has changed")
END
venv/bin/python again.py

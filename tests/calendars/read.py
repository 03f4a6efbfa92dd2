"""Reads a calendar file with three libraries, and prints what each understood as JSON.

    read.py FILE
"""

import json
import sys

import icalendar
import ics
import vobject


def by_icalendar(text):
    event = icalendar.Calendar.from_ical(text).walk("VEVENT")[0]
    return {
        "title": str(event["SUMMARY"]),
        "seats": str(event["DESCRIPTION"]),
        "place": str(event["LOCATION"]),
        "begins": event["DTSTART"].dt.timestamp(),
        "ends": event["DTEND"].dt.timestamp(),
        "revision": int(event["SEQUENCE"]),
        "id": str(event["UID"]),
        "status": str(event["STATUS"]),
        "changed": event["LAST-MODIFIED"].dt.timestamp(),
        "from": str(event["ORGANIZER"]),
    }


def by_ics(text):
    event = next(iter(ics.Calendar(text).events))
    # It keeps the revision among what it does not know.
    revision = next(line.value for line in event.extra if line.name == "SEQUENCE")
    return {
        "title": event.name,
        "seats": event.description,
        "place": event.location,
        "begins": event.begin.timestamp(),
        "ends": event.end.timestamp(),
        "revision": int(revision),
        "id": event.uid,
        "status": event.status,
        "changed": event.last_modified.timestamp(),
        "from": f"mailto:{event.organizer.email}",
    }


def by_vobject(text):
    event = vobject.readOne(text).vevent
    return {
        "title": event.summary.value,
        "seats": event.description.value,
        "place": event.location.value,
        "begins": event.dtstart.value.timestamp(),
        "ends": event.dtend.value.timestamp(),
        "revision": int(event.sequence.value),
        "id": event.uid.value,
        "status": event.status.value,
        "changed": event.last_modified.value.timestamp(),
        "from": event.organizer.value,
    }


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8", newline="") as file:
        TEXT = file.read()
    READERS = {"icalendar": by_icalendar, "ics": by_ics, "vobject": by_vobject}
    json.dump({name: read(TEXT) for name, read in READERS.items()}, sys.stdout)

"""Buys tickets, moves their performance, and compares what five libraries read in the calendar files.

    compare.py BASE FOLDER

BASE is the address of an office with demo data. FOLDER has read.mjs beside its packages, and is for the files. Ends
with 1 where a library reads anything else than what the office says, or fails.
"""

import datetime
import json
import pathlib
import subprocess
import sys
import time
import urllib.error
import urllib.request

PASSWORD = "open sesame door"
SHOW = "night-on-the-han"
BUYER, ADMIN = "mina@stagedoor.example", "admin@stagedoor.example"
WAIT_MAX_SECS = 60
AHEAD = datetime.timedelta(days=45)


class Person:
    """Client with cookies."""

    def __init__(self, base, email):
        self.base = base
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        self.ask("/login", {"email": email, "password": PASSWORD})

    def read(self, path, fields=None):
        body = None if fields is None else json.dumps(fields).encode()
        headers = {"Accept": "application/json", "Origin": self.base}
        if body:
            headers["Content-Type"] = "application/json"
        request = urllib.request.Request(self.base + path, body, headers)
        with self.opener.open(request, timeout=20) as answer:
            return answer.read().decode()

    def ask(self, path, fields=None):
        text = self.read(path, fields)
        return json.loads(text) if text else None


def buy(buyer):
    """Buys the first two free seats; returns the reservation's id and the performance's."""
    buyer.ask(f"/programs/{SHOW}/queue", {})
    ends = time.monotonic() + WAIT_MAX_SECS
    while buyer.ask(f"/programs/{SHOW}/queue")["status"] != "ACTIVE":
        if time.monotonic() > ends:
            sys.exit("nobody was let in")
        time.sleep(1)
    schedule_id = buyer.ask(f"/programs/{SHOW}")["schedules"][0]["id"]
    seats = buyer.ask(f"/schedules/{schedule_id}")["seats"]
    free = [seat["id"] for seat in seats if is_usual(seat)][:2]
    held = buyer.ask(f"/schedules/{schedule_id}/reservations", {"seat_ids": free})
    buyer.ask(f"/reservations/{held['reservation_id']}/payment", {})
    return held["reservation_id"], schedule_id


def is_usual(seat):
    return seat["status"] == "AVAILABLE" and seat.get("kind") in (None, "STANDARD")


def truth(buyer, reservation_id):
    """Returns what the office says of the tickets, as the readers name it."""
    document = buyer.ask(f"/reservations/{reservation_id}/tickets")
    tickets = document["tickets"]
    names = [f"{one['section']}, row {one['row']}, seat {one['number']}" for one in tickets]
    starts_at = datetime.datetime.fromisoformat(tickets[0]["starts_at"])
    return {
        "title": tickets[0]["title"],
        "seats": "\n".join(names),
        "begins": starts_at.timestamp(),
        "id": f"{reservation_id}@stagedoor",
        "status": "CONFIRMED",
    }


def readings(folder, name, text):
    """Returns what each library reads in a file."""
    file = folder / f"{name}.ics"
    file.write_bytes(text.encode())
    read = {}
    here = pathlib.Path(__file__).parent
    for command in ([sys.executable, here / "read.py"], ["node", folder / "read.mjs"]):
        said = subprocess.run([*command, file], check=True, capture_output=True, timeout=60)
        read.update(json.loads(said.stdout))
    return read


def compare(folder, name, text, expected):
    """Says where the libraries differ from what is expected, or from each other; returns what they read."""
    read = readings(folder, name, text)
    first = next(iter(read.values()))
    wrong = [
        f"{name}: {reader} reads {field} as {value!r}, not {expected.get(field, first[field])!r}"
        for reader, fields in read.items()
        for field, value in fields.items()
        if value != expected.get(field, first[field])
    ]
    if len(read) != 5 or wrong:
        sys.exit("\n".join(wrong) or f"only {list(read)} read it")
    print(f"{name}: {', '.join(read)} agree on {', '.join(first)}")
    return first


def until_named(buyer, path):
    """Returns a calendar file once it names the office, whose settings an instance learns a moment later."""
    ends = time.monotonic() + WAIT_MAX_SECS
    while "ORGANIZER" not in (text := buyer.read(path)):
        if time.monotonic() > ends:
            sys.exit("the file never names the office")
        time.sleep(1)
    return text


def main(base, folder):
    buyer, admin = Person(base, BUYER), Person(base, ADMIN)
    reservation_id, schedule_id = buy(buyer)
    path = f"/reservations/{reservation_id}/tickets.ics"
    before = compare(folder, "bought", until_named(buyer, path), truth(buyer, reservation_id))
    edition = admin.ask(f"/admin/schedules/{schedule_id}")["schedule"]
    starts_at = datetime.datetime.fromisoformat(edition["starts_at"]) + AHEAD
    form = {"version": edition["version"], "starts_at": starts_at.isoformat(), "words": "Later."}
    admin.ask(f"/admin/schedules/{schedule_id}", form)
    expected = truth(buyer, reservation_id)
    after = compare(folder, "moved", buyer.read(path), expected)
    if after["revision"] <= before["revision"] or after["begins"] == before["begins"]:
        sys.exit("a moved performance does not replace the entry of before")
    if after["changed"] <= before["changed"]:
        sys.exit("the entry does not say that it was changed")


if __name__ == "__main__":
    main(sys.argv[1], pathlib.Path(sys.argv[2]))

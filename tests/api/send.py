"""Sends requests made from the OpenAPI document to a running office, as everybody who uses it.

    send.py BASE FOLDER

BASE is the address of an office with demo data; FOLDER is for what is written. Ends with 1 after any failure.
"""

import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
from urllib.parse import urlencode

from openapi_spec_validator import OpenAPIV31SpecValidator

PASSWORD = "open sesame door"
SEED = "20250601"
# Requests of one operation and person, beyond those that are counted out.
EXAMPLES_MAX = "12"

# Checks that are switched off, and why.
OFF = [
    # The schema of a field says which types it takes. Which values make sense depends on the data: the answer is
    # a 422 with the field's name, which is described.
    "positive_data_acceptance",
    # Ids that a run makes are not those that later requests use: the data is the demo's.
    "use_after_free",
    "ensure_resource_availability",
]

# Statuses that refuse what makes no sense.
REFUSALS = [400, 401, 402, 403, 404, 405, 409, 410, 415, 422, 428, 429]

# Operations that end the session they are sent with: sent last, each person's own session is lost by then.
ENDING = "^/(logout|account/(deletion|password|sessions.*|second-factor.*|address))$"
# Streams, which do not end.
ENDLESS = "^/schedules/{id}/changes$"


class Person:
    """Client with a session cookie."""

    def __init__(self, base):
        self.base = base
        self.cookie = ""

    def ask(self, method, path, fields=None):
        body = urlencode(fields).encode() if fields is not None else None
        request = urllib.request.Request(self.base + path, body, method=method)
        request.add_header("Accept", "application/json")
        if self.cookie:
            request.add_header("Cookie", self.cookie)
        with urllib.request.urlopen(request, timeout=20) as answer:
            for header in answer.headers.get_all("Set-Cookie") or []:
                if header.startswith("session="):
                    self.cookie = header.split(";")[0]
            text = answer.read()
        return json.loads(text) if text else None

    def log_in(self, name):
        fields = {"email": f"{name}@stagedoor.example", "password": PASSWORD}
        self.ask("POST", "/login", fields)
        return self

    def confirm(self):
        self.ask("POST", "/account/confirmation", {"password": PASSWORD})
        return self


def examples(admin, customer):
    """Returns the ids of what the demo has, by the path that they belong to."""
    shows = admin.ask("GET", "/admin/programs")["programs"]
    on_sale = customer.ask("GET", "/")["on_sale"]
    slug = on_sale[0]["slug"]
    show = customer.ask("GET", f"/programs/{slug}")
    schedule = show["schedules"][0]["id"]
    venue = admin.ask("GET", "/admin/venues")["venues"][0]["id"]
    person = admin.ask("GET", "/admin/people?" + urlencode({"q": "jun"}))["people"][0]["account_id"]
    customer.ask("POST", f"/programs/{slug}/queue", {})
    return {
        "/programs/": {"slug": slug},
        "/schedules/": {"id": schedule},
        "/door/": {"schedule_id": schedule},
        "/admin/schedules/": {"id": schedule},
        "/admin/venues/": {"id": venue},
        "/admin/people/": {"id": person},
        "/admin/programs/": {"id": shows[0]["id"]},
    }


def configuration(paths, known):
    """Returns Schemathesis' settings: what refuses, and ids of what exists."""
    lines = ["[checks]", f"negative_data_rejection.expected-statuses = {REFUSALS}", ""]
    for path in paths:
        for prefix, parameters in known.items():
            if path.startswith(prefix) and "{" in path:
                lines.append("[[operations]]")
                lines.append(f"include-path = {json.dumps(path)}")
                for name, value in parameters.items():
                    if "{" + name + "}" in path:
                        lines.append(f"parameters.\"path.{name}\" = {json.dumps(value)}")
                lines.append("")
    return "\n".join(lines)


def run(folder, base, who, headers, *options):
    """Sends the requests of one person; returns whether all answers were as described."""
    print(f"\nRequests as {who}.", flush=True)
    command = [
        os.path.join(os.path.dirname(sys.executable), "schemathesis"),
        "--config-file", os.path.join(folder, "schemathesis.toml"),
        "run", f"{base}/openapi.json",
        "--phases", "examples,coverage,fuzzing",
        "--max-examples", EXAMPLES_MAX,
        "--seed", SEED, "--generation-deterministic",
        # Each person is signed in by a header of the command line.
        "--generation-with-security-parameters", "false",
        "--exclude-checks", ",".join(OFF),
        "--exclude-path-regex", ENDLESS,
        "--request-timeout", "20",
        "--no-shrink", "--continue-on-failure", "--warnings", "off", "--no-color",
        "-H", "Accept: application/json",
    ]
    for header in headers:
        command += ["-H", header]
    return subprocess.run(command + list(options), cwd=folder, check=False).returncode == 0


def main(base, folder):
    with urllib.request.urlopen(f"{base}/openapi.json", timeout=20) as answer:
        document = json.loads(answer.read())
    OpenAPIV31SpecValidator(document).validate()
    print(f"The document is valid OpenAPI 3.1, with {len(document['paths'])} paths.", flush=True)

    customer, staff, admin = (Person(base).log_in(name) for name in ("mina", "door", "admin"))
    admin.confirm()
    made = admin.ask("POST", "/admin/api-keys", {"name": "test", "days": 1, "scopes": "programs:write"})
    key = made["key"]
    settings = configuration(document["paths"], examples(admin, customer))
    with open(os.path.join(folder, "schemathesis.toml"), "w", encoding="utf-8") as file:
        file.write(settings)

    alike = ("--exclude-path-regex", f"{ENDING}|{ENDLESS}")
    people = [
        ("nobody", [], alike),
        ("a customer", [f"Cookie: {customer.cookie}"], (*alike, "--exclude-path-regex", "^/(admin|door)")),
        ("a member of staff", [f"Cookie: {staff.cookie}"], ("--include-path-regex", "^/door")),
        ("a program", [f"Authorization: Bearer {key}"], ("--include-path-regex", "^/admin/(programs|schedules)")),
        ("an administrator", [f"Cookie: {admin.cookie}"], ("--include-path-regex", "^/admin")),
        ("somebody who leaves", [f"Cookie: {Person(base).log_in('jun').cookie}"], ("--include-path-regex", ENDING)),
    ]
    outcomes = [run(folder, base, who, headers, *options) for who, headers, options in people]
    return 0 if all(outcomes) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

"""A mail server on a loopback port, which prints each mail as a line of JSON.

    mail_server.py PORT

The beginning of a recipient's address decides what becomes of a mail: `busy` is refused for now
twice, `refused` for good, `stalled` is printed and the first time never answered, `cut` ends the connection instead
of an answer; all others are taken. A line of its standard input is printed again, behind all mails that it has answered by then; it
ends with that input.
"""

import asyncio
import base64
import email
import email.policy
import json
import sys
import threading
from collections import Counter
from html.parser import HTMLParser

from aiosmtpd.controller import Controller

BUSY_TIMES = 2
STALL_SECS = 3600


PRINTING = threading.Lock()


def say(line):
    """Prints a whole line: two threads print, and a long one waits in the middle until it is read."""
    with PRINTING:
        print(line, flush=True)


class Page(HTMLParser):
    """What a page says, text by text with blanks folded, and where its links lead."""

    UNSAID = ("style", "title")

    def __init__(self, html):
        super().__init__()
        self.said, self.links, self.inside = [], [], None
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.inside = tag if tag in self.UNSAID else None
        self.links += [value for name, value in attributes if name in ("href", "src")]

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, data):
        if self.inside is None and data.strip():
            self.said.append(" ".join(data.split()))


def defects(message):
    """Returns what the parser found wrong in a mail, its headers included."""
    parts = list(message.walk())
    found = [defect for part in parts for defect in part.defects]
    found += [defect for part in parts for value in part.values() for defect in value.defects]
    return [repr(defect) for defect in found]


class Printer:
    def __init__(self):
        self.asked = Counter()
        self.stalled = set()

    async def handle_RCPT(self, server, session, envelope, address, options):
        self.asked[address] += 1
        if address.startswith("refused"):
            return "550 5.1.1 No such mailbox here"
        if address.startswith("busy") and self.asked[address] <= BUSY_TIMES:
            return "451 4.3.0 Try again later"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        if any(address.startswith("cut") for address in envelope.rcpt_tos):
            server.transport.abort()
            return "250 OK"
        message = email.message_from_bytes(envelope.content, policy=email.policy.default)
        parts = {kind: message.get_body((kind,)) for kind in ("plain", "html")}
        page = Page(parts["html"].get_content() if parts["html"] else "")
        say(
            json.dumps(
                {
                    "sender": envelope.mail_from,
                    "recipients": envelope.rcpt_tos,
                    "headers": [[name, str(value)] for name, value in message.items()],
                    "text": parts["plain"].get_content() if parts["plain"] else "",
                    "html": parts["html"].get_content() if parts["html"] else "",
                    "said": page.said,
                    "links": page.links,
                    "defects": defects(message),
                    "files": [
                        {
                            "name": part.get_filename(),
                            "media_type": part.get_content_type(),
                            "content": base64.b64encode(part.get_payload(decode=True)).decode(),
                        }
                        for part in message.iter_attachments()
                    ],
                    "raw": envelope.content.decode("latin-1"),
                }
            )
        )
        for address in envelope.rcpt_tos:
            if address.startswith("stalled") and address not in self.stalled:
                self.stalled.add(address)
                await asyncio.sleep(STALL_SECS)
        return "250 OK"


controller = Controller(Printer(), hostname="127.0.0.1", port=int(sys.argv[1]))
controller.start()
say("ready")
for line in sys.stdin:
    say(line.rstrip("\n"))
controller.stop()

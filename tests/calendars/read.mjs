// Reads a calendar file with two libraries, and prints what each understood as JSON.
//
//   node read.mjs FILE

import { readFileSync } from "node:fs";

import ICAL from "ical.js";
import nodeIcal from "node-ical";

const text = readFileSync(process.argv[2], "utf8");
const secs = (date) => date.getTime() / 1000;

function byIcalJs() {
  const component = new ICAL.Component(ICAL.parse(text)).getFirstSubcomponent("vevent");
  const event = new ICAL.Event(component);
  const value = (name) => component.getFirstPropertyValue(name);
  return {
    title: event.summary,
    seats: event.description,
    place: event.location,
    begins: secs(event.startDate.toJSDate()),
    ends: secs(event.endDate.toJSDate()),
    revision: event.sequence,
    id: event.uid,
    status: value("status"),
    changed: secs(value("last-modified").toJSDate()),
    from: event.organizer,
  };
}

function byNodeIcal() {
  const entries = Object.values(nodeIcal.sync.parseICS(text));
  const event = entries.find((entry) => entry.type === "VEVENT");
  return {
    title: event.summary,
    seats: event.description,
    place: event.location,
    begins: secs(event.start),
    ends: secs(event.end),
    revision: Number(event.sequence),
    id: event.uid,
    status: event.status,
    changed: secs(event.lastmodified),
    from: event.organizer.val,
  };
}

process.stdout.write(JSON.stringify({ "ical.js": byIcalJs(), "node-ical": byNodeIcal() }));

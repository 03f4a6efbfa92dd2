// What is measured: an office with demo data, a house of 2,000 seats in it, and somebody who is
// at each step of buying.

import { PASSWORD, Person, untilAdmitted } from "./person.mjs";
import { SECTION, makeHouse, makeShow, show } from "./shows.mjs";

/** Returns the pages to measure: `{ name, path, cookie, isPublic }`. */
export async function prepare(base) {
  const [admin, mina, jun, door] = await Promise.all(
    ["admin", "mina", "jun", "door"].map((name) => new Person(base).logIn(name)),
  );
  await admin.ask("POST", "/account/confirmation", { password: PASSWORD });
  const venue = await makeHouse(admin);
  const large = await makeShow(admin, venue, show("Grand Opening", "grand-opening", 100));
  await makeShow(admin, venue, show("Small Opening", "small-opening", 1));

  await jun.ask("POST", "/programs/small-opening/queue", {});
  await untilAdmitted(jun, "small-opening");
  await mina.ask("POST", "/programs/small-opening/queue", {});
  await mina.ask("POST", "/programs/grand-opening/queue", {});
  await untilAdmitted(mina, "grand-opening");
  const order = (best) => {
    const request_key = crypto.randomUUID();
    return mina.ask("POST", `/schedules/${large}/reservations`, { best, request_key });
  };
  const paid = await order(1);
  const request_key = crypto.randomUUID();
  await mina.ask("POST", `/reservations/${paid.reservation_id}/payment`, { request_key });
  await mina.ask("POST", "/programs/grand-opening/queue", {});
  await untilAdmitted(mina, "grand-opening");
  const held = await order(2);
  const { tickets } = await mina.ask("GET", "/tickets");
  const { programs } = await admin.ask("GET", "/admin/programs?q=grand-opening");

  const of = (person) => (name, path) => ({ name, path, cookie: person.cookie });
  const [ofMina, ofDoor, ofAdmin] = [of(mina), of(door), of(admin)];
  const house = `/schedules/${large}`;
  return [
    { name: "home", path: "/", isPublic: true },
    { name: "show", path: "/programs/grand-opening", isPublic: true },
    ofMina("waiting room", "/programs/small-opening/queue"),
    ofMina("map, 2,000 seats", house),
    ofMina("section, 480 seats", `${house}?section=${encodeURIComponent(SECTION)}`),
    ofMina("reservation", `/reservations/${held.reservation_id}`),
    ofMina("wallet", "/wallet"),
    ofMina("ticket", `/tickets/${tickets[0].code}`),
    ofDoor("door", `/door/${large}`),
    ofAdmin("line, for staff", `/admin/programs/${programs[0].id}/queue`),
  ];
}

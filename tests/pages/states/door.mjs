// The door of a show that starts in two hours: performances, letting in and refusing.

import { enter, hold, pay } from "./cast.mjs";

/** Pages of the door of a show tonight. */
export async function door({ mina, door: staff, shows }) {
  await enter(mina, "opening-tonight");
  await pay(mina, await hold(mina, shows.tonight, { best: 2 }));
  const { tickets } = await mina.ask("GET", "/tickets");
  const path = `/door/${shows.tonight}`;
  const { code } = tickets[0];
  const sent = (name, fields, status) => {
    return { name, person: staff, path: `${path}/check-ins`, from: path, status, send: fields };
  };
  const { ticket_id } = await staff.ask("POST", `${path}/check-ins`, { code });
  return [
    { name: "door-performances", person: staff, path: "/door" },
    { name: "door", person: staff, path },
    { name: "door-admitted", person: staff, path: `${path}?let_in=${ticket_id}` },
    sent("door-used", { code }, 409),
    sent("door-unknown", { code: "NO-SUCH-TICKET" }, 404),
    { name: "door-guests", person: staff, path: `${path}/guests` },
    { name: "door-guests-found", person: staff, path: `${path}/guests`, send: { q: "Mina" } },
  ];
}

// Buying: the map, a hold, its payment and the reservation afterwards.

import { enter, hold, pay } from "./cast.mjs";

const EXPIRED_TRIES_MAX = 120;

function maps({ mina, jun, shows, demo, section }, { taken }) {
  const inside = (name, slug, path, more) => {
    return { name, person: mina, ready: () => enter(mina, slug), path, ...more };
  };
  const grand = `/schedules/${shows.large}`;
  const jazz = `/schedules/${demo["late-jazz"]}`;
  return [
    inside("map-sections", "grand-opening", grand),
    inside("map-section", "grand-opening", `${grand}?section=${encodeURIComponent(section)}`),
    inside("map-seats", "night-on-the-han", `/schedules/${demo["night-on-the-han"]}`),
    inside("map-performances", "night-on-the-han", "/programs/night-on-the-han/queue"),
    inside("map-types", "quiet-machines", `/schedules/${demo["quiet-machines"]}`),
    inside("map-zones", "lantern-field", `/schedules/${demo["lantern-field"]}`),
    inside("map-seats-and-zone", "late-jazz", jazz),
    {
      name: "map-refused",
      person: jun,
      ready: () => enter(jun, "grand-opening"),
      path: `${grand}/reservations`,
      from: grand,
      status: 409,
      send: { seat_ids: taken, section, price_version: "1" },
    },
    inside("map-too-few", "grand-opening", `${grand}/reservations`, {
      from: grand,
      status: 422,
      send: { price_version: "1" },
    }),
    inside("map-code", "late-jazz", `${jazz}/code`, {
      from: jazz,
      send: { code: "WELCOME", best: "2" },
    }),
    inside("map-code-unknown", "late-jazz", `${jazz}/code`, {
      from: jazz,
      status: 422,
      send: { code: "NOSUCHCODE", best: "2" },
    }),
    { name: "map-not-admitted", person: jun, path: jazz, status: 403 },
  ];
}

async function typeStep({ mina, demo }) {
  await enter(mina, "late-jazz");
  const path = `/schedules/${demo["late-jazz"]}`;
  const { seats } = await mina.ask("GET", path);
  const query = seats
    .slice(4, 6)
    .map(({ id }) => `seat_ids=${id}`)
    .join("&");
  return {
    name: "map-types-step",
    person: mina,
    ready: () => enter(mina, "late-jazz"),
    path: `${path}/price-types?${query}&price_version=0&total=&needed=on`,
  };
}

async function soldOut({ mina, nora, demo }) {
  const path = `/schedules/${demo["the-last-rehearsal"]}/waiting-list`;
  await nora.ask("POST", path, { places: 2, request_key: crypto.randomUUID() });
  return [
    { name: "waiting-list", person: mina, path },
    { name: "waiting-list-joined", person: nora, path },
    {
      name: "waiting-list-mistakes",
      person: mina,
      path,
      status: 422,
      send: { places: "0", price_max: "-1" },
    },
  ];
}

async function untilExpired(person, { reservation_id }) {
  for (let n = 0; n < EXPIRED_TRIES_MAX; n += 1) {
    const { status } = await person.ask("GET", `/reservations/${reservation_id}`);
    if (status === "EXPIRED") return;
    await new Promise((resolve) => {
      setTimeout(resolve, 1_000);
    });
  }
  throw new Error("the hold of a minute does not expire");
}

function holds({ mina, jun, visitor }, { held, shared, share, poor, brief }) {
  const of = ({ reservation_id }) => `/reservations/${reservation_id}`;
  return [
    { name: "hold", person: mina, path: of(held) },
    { name: "hold-poor", person: jun, path: of(poor) },
    { name: "payment", person: mina, path: `${of(held)}/payment` },
    { name: "payment-poor", person: jun, path: `${of(poor)}/payment` },
    {
      name: "payment-refused",
      person: jun,
      path: `${of(poor)}/payment`,
      from: of(poor),
      status: 402,
      send: {},
    },
    { name: "hold-shares", person: mina, path: `${of(shared)}/shares` },
    { name: "hold-shares-new", person: mina, path: `${of(shared)}/shares/new` },
    { name: "share", person: jun, path: share },
    {
      name: "hold-expired",
      person: jun,
      ready: () => untilExpired(jun, brief),
      path: of(brief),
    },
    {
      name: "payment-expired",
      person: jun,
      ready: () => untilExpired(jun, brief),
      path: `${of(brief)}/payment`,
      from: of(brief),
      status: 410,
      send: {},
    },
    { name: "reservation-of-nobody", person: visitor, path: of(held) },
  ];
}

async function makeHolds({ mina, jun, shows }) {
  await enter(mina, "grand-opening");
  const paid = await hold(mina, shows.large, { best: 3 });
  await pay(mina, paid);
  await enter(mina, "grand-opening");
  const cancelled = await hold(mina, shows.large, { best: 1 });
  await mina.ask("POST", `/reservations/${cancelled.reservation_id}/cancellation`, {});
  const shared = await hold(mina, shows.large, { best: 2 });
  const shares = `/reservations/${shared.reservation_id}/shares`;
  const { left } = await mina.ask("GET", shares);
  const { url } = await mina.ask("POST", shares, {
    places: [left[0].place],
    request_key: crypto.randomUUID(),
  });
  const held = await hold(mina, shows.large, { best: 2 });
  await enter(jun, "grand-opening");
  const poor = await hold(jun, shows.large, { best: 1 });
  await enter(jun, "brief-opening");
  const brief = await hold(jun, shows.brief, { best: 1 });
  const { seats } = await jun.ask("GET", `/schedules/${shows.large}`);
  const taken = seats
    .filter(({ status }) => status !== "AVAILABLE")
    .slice(0, 2)
    .map(({ id }) => id);
  return { paid, cancelled, shared, share: new URL(url).pathname, held, poor, brief, taken };
}

/** Pages of buying; notes what was paid in `cast.paid`. */
export async function buying(cast) {
  const made = await makeHolds(cast);
  cast.paid = made.paid;
  const { mina, nora } = cast;
  const own = `/reservations/${made.paid.reservation_id}`;
  return [
    ...maps(cast, made),
    await typeStep(cast),
    ...(await soldOut(cast)),
    ...holds(cast, made),
    { name: "reservation-paid", person: mina, path: own },
    {
      name: "reservation-cancelled",
      person: mina,
      path: `/reservations/${made.cancelled.reservation_id}`,
    },
    { name: "reservations", person: mina, path: "/reservations" },
    { name: "reservations-empty", person: nora, path: "/reservations" },
    { name: "tickets-bought", person: mina, path: `${own}/tickets` },
  ];
}

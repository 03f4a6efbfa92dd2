// The pages of administrators.

import { PASSWORD } from "../person.mjs";
import { show } from "../shows.mjs";
import { version } from "./cast.mjs";

const HOOK = {
  url: "https://hooks.example/stagedoor",
  description: "Accounting",
  kinds: ["reservation.paid"],
};
const KEY = { name: "A calendar", scopes: ["programs:read"] };
const GRID = "Stalls, 4, 10, R\nBalcony, 2, 12, S";

function programPages({ program, draft, small, drawn }) {
  const of = (id, rest = "") => `/admin/programs/${id}${rest}`;
  return {
    "admin-programs": "/admin/programs",
    "admin-programs-none": "/admin/programs?q=nothing-is-called-so",
    "admin-program-new": "/admin/programs/new",
    "admin-program": of(program),
    "admin-program-draft": of(draft),
    "admin-program-preview": of(draft, "/preview"),
    "admin-program-publication": of(draft, "/publication"),
    "admin-program-cancellation": of(program, "/cancellation"),
    "admin-program-codes": of(program, "/codes"),
    "admin-sales": of(program, "/sales"),
    "admin-sales-none": of(draft, "/sales"),
    "admin-queue": of(small, "/queue"),
    "admin-queue-draw": of(drawn, "/queue"),
    "admin-live": of(small, "/live"),
    "admin-live-none": of(draft, "/live"),
  };
}

function housePages({ schedule, jazz, venue }) {
  return {
    "admin-schedule": `/admin/schedules/${schedule}`,
    "admin-schedule-zones": `/admin/schedules/${jazz}`,
    "admin-schedule-types": `/admin/schedules/${jazz}/price-types`,
    "admin-schedule-attendees": `/admin/schedules/${schedule}/attendees`,
    "admin-schedule-attendees-sheet": `/admin/schedules/${schedule}/attendees/sheet`,
    "admin-schedule-cancellation": `/admin/schedules/${schedule}/cancellation`,
    "admin-venues": "/admin/venues",
    "admin-venue-new": "/admin/venues/new",
    "admin-venue": `/admin/venues/${venue}`,
  };
}

function recordPages({ mina, reservation, mail, hook }) {
  return {
    admin: "/admin",
    "admin-people": "/admin/people?q=mina",
    "admin-people-none": "/admin/people?q=nobody-is-called-so",
    "admin-person": `/admin/people/${mina}`,
    "admin-reservations": "/admin/reservations",
    "admin-reservation": `/admin/reservations/${reservation}`,
    "admin-charges": "/admin/charges",
    "admin-payouts": "/admin/payouts",
    "admin-setbacks": "/admin/setbacks",
    "admin-popularity": "/admin/popularity?over=week",
    "admin-sell-outs": "/admin/popularity/sell-outs",
    "admin-mails": "/admin/mails",
    "admin-mail": `/admin/mails/${mail}`,
    "admin-audit": "/admin/audit",
    "admin-webhooks": "/admin/webhooks",
    "admin-webhook": `/admin/webhooks/${hook}`,
    "admin-api-keys": "/admin/api-keys",
  };
}

function sentPages({ person, program, venue, hook, versions }) {
  const sent = (name, path, from, send, status = 422) => ({
    name,
    person,
    path,
    from: from ?? path,
    send,
    status,
  });
  const house = `/admin/venues/${venue}`;
  const seats = `${house}/seats/preview`;
  return [
    sent("admin-program-mistakes", "/admin/programs", "/admin/programs/new", {
      title: "",
      slug: "No Slug!",
      queue_capacity: "-1",
    }),
    sent("admin-program-codes-mistakes", `/admin/programs/${program}/codes`, null, {
      code: "ODD",
    }),
    sent(
      "admin-program-stale",
      `/admin/programs/${program}`,
      null,
      { ...show("Other", "grand-opening", 100), version: "0" },
      409,
    ),
    sent("admin-venue-mistakes", "/admin/venues", "/admin/venues/new", {
      name: "",
      time_zone: "Nowhere",
    }),
    sent("admin-venue-preview", seats, house, { grid: GRID, version: versions.venue }, 200),
    sent("admin-venue-plan-mistakes", seats, house, {
      grid: "Stalls, many",
      version: versions.venue,
    }),
    sent("admin-api-key-made", "/admin/api-keys", null, KEY, 201),
    sent(
      "admin-webhook-secret",
      `/admin/webhooks/${hook}/secret`,
      `/admin/webhooks/${hook}`,
      {},
      201,
    ),
    sent("admin-api-key-mistakes", "/admin/api-keys", "/admin/api-keys", { name: "" }),
    sent("admin-webhook-mistakes", "/admin/webhooks", "/admin/webhooks", { url: "no address" }),
  ];
}

async function makeThings({ admin, mina, shows, paid, demo }) {
  const { ids } = shows;
  const cancelled = ids["cancelled-opening"];
  await admin.ask("POST", `/admin/programs/${cancelled}/cancellation`, {
    version: await version(admin, cancelled),
    reason: "The tenor has a cold.",
  });
  const { id: draft } = await admin.ask("POST", `/admin/programs/${ids["grand-opening"]}/copies`, {
    with_performances: true,
  });
  const { id: hook } = await admin.ask("POST", "/admin/webhooks", HOOK);
  await admin.ask("POST", "/admin/api-keys", KEY);
  const { mails } = await admin.ask("GET", "/admin/mails");
  const { account_id } = (await admin.ask("GET", "/admin/people?q=mina")).people[0];
  const { id: empty } = await admin.ask("POST", "/admin/venues", {
    name: "Empty Hall",
    address: "Busan",
    time_zone: "Asia/Seoul",
  });
  return {
    program: ids["grand-opening"],
    small: ids["small-opening"],
    drawn: ids["drawn-opening"],
    draft,
    hook,
    mail: mails[0].id,
    mina: account_id,
    schedule: shows.large,
    jazz: demo["late-jazz"],
    reservation: paid.reservation_id,
    empty,
  };
}

/** Pages for administrators. */
export async function admin(cast) {
  const person = cast.admin;
  const made = { ...(await makeThings(cast)), venue: cast.venue };
  const pages = { ...recordPages(made), ...programPages(made), ...housePages(made) };
  const visited = Object.entries(pages).map(([name, path]) => ({ name, person, path }));
  visited.push({
    name: "admin-mail-html",
    person,
    path: `/admin/mails/${made.mail}/html`,
    isSandboxed: true,
    // That of its reader.
    language: "en",
  });
  visited.push({
    name: "admin-popularity-mistakes",
    person,
    path: "/admin/popularity?slug=nope",
    status: 422,
  });
  visited.push({ name: "admin-venue-empty", person, path: `/admin/venues/${made.empty}` });
  const versions = { venue: "0" };
  const { program, empty, hook } = made;
  // The password is confirmed for some minutes only.
  const ready = () => person.ask("POST", "/account/confirmation", { password: PASSWORD });
  const sent = sentPages({ person, program, venue: empty, hook, versions });
  return [...visited, ...sent.map((page) => ({ ...page, ready }))];
}

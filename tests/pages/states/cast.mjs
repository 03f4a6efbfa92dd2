// Who visits, and what each has to visit: people, shows of every kind, and their places in a line.

import { PASSWORD, Person, untilAdmitted } from "../person.mjs";
import { SECTION, makeHouse, makeShow, show } from "../shows.mjs";

const HOUR_MS = 3_600_000;
// Times are typed as on the clock of the house, in Seoul.
const SEOUL_MS = 9 * HOUR_MS;
// Longer than all photos take.
const LONG = { stay_minutes: "1440", hold_minutes: "60" };
const GUARDS = {
  account_age_mins: "",
  confirmed_address: "",
  proof_bits: "20",
  joins_per_address: "4",
  unpaid_holds_max: "3",
  cool_down_mins: "30",
};
// A ticket costs up to 121,000 points.
const POINTS_CHARGED = 900_000;

const local = (ms) => new Date(Date.now() + SEOUL_MS + ms).toISOString().slice(0, 16);

/** Lets somebody in to a show, who may be inside already. */
export async function enter(person, slug) {
  await person.ask("POST", `/programs/${slug}/queue`, {}, [409]);
  await untilAdmitted(person, slug);
}

/** Holds what `order` says at a performance; returns the hold. */
export function hold(person, schedule, order) {
  const fields = { ...order, request_key: crypto.randomUUID() };
  return person.ask("POST", `/schedules/${schedule}/reservations`, fields);
}

/** Pays a hold. */
export function pay(person, { reservation_id }) {
  const request_key = crypto.randomUUID();
  return person.ask("POST", `/reservations/${reservation_id}/payment`, { request_key });
}

async function signUp(base, name) {
  const email = `${name.toLowerCase()}@stagedoor.example`;
  const person = new Person(base);
  await person.ask("POST", "/signup", { name, email, password: PASSWORD });
  return person;
}

async function makeShows(admin, venue) {
  const make = (title, slug, capacity, more, starts_at) => {
    return makeShow(admin, venue, { ...show(title, slug, capacity), ...LONG, ...more }, starts_at);
  };
  const shows = {
    tonight: await make("Opening Tonight", "opening-tonight", 100, {}, local(2 * HOUR_MS)),
    large: await make("Grand Opening", "grand-opening", 100),
    small: await make("Small Opening", "small-opening", 1),
    brief: await make("Brief Opening", "brief-opening", 100, { hold_minutes: "1" }),
    drawn: await make("Drawn Opening", "drawn-opening", 100, {
      on_sale_at: local(5 * HOUR_MS),
    }),
    guarded: await make("Guarded Opening", "guarded-opening", 100),
    cancelled: await make("Cancelled Opening", "cancelled-opening", 100),
    over: await make("Late Opening", "late-opening", 100, { off_sale_at: local(-HOUR_MS) }),
  };
  const { programs } = await admin.ask("GET", "/admin/programs?q=opening");
  const ids = Object.fromEntries(programs.map(({ slug, id }) => [slug, id]));
  await admin.ask("POST", `/admin/programs/${ids["drawn-opening"]}/queue/draw`, {});
  const proof = { ...GUARDS, version: await version(admin, ids["guarded-opening"]) };
  await admin.ask("POST", `/admin/programs/${ids["guarded-opening"]}/queue/guards`, proof);
  return { ...shows, ids };
}

/** Returns the version of a show, which each change of it must name. */
export async function version(admin, program) {
  return (await admin.ask("GET", `/admin/programs/${program}`)).program.version;
}

/** Returns the performance of a demo show. */
async function performance(person, slug) {
  return (await person.ask("GET", `/programs/${slug}`)).schedules[0].id;
}

/** Makes everybody, and the shows. */
export async function makeCast(base) {
  const logIn = (name) => new Person(base).logIn(name);
  const [admin, mina, jun, door] = await Promise.all(["admin", "mina", "jun", "door"].map(logIn));
  const visitor = new Person(base);
  const [nora, ida] = [await signUp(base, "Nora"), await signUp(base, "Ida")];
  await admin.ask("POST", "/account/confirmation", { password: PASSWORD });
  const request_key = crypto.randomUUID();
  await mina.ask("POST", "/wallet/charges", { amount: POINTS_CHARGED, request_key });
  const venue = await makeHouse(admin);
  const shows = await makeShows(admin, venue);
  const demo = {};
  for (const slug of [
    "night-on-the-han",
    "quiet-machines",
    "lantern-field",
    "late-jazz",
    "the-last-rehearsal",
  ]) {
    demo[slug] = await performance(visitor, slug);
  }
  return { base, admin, mina, jun, door, visitor, nora, ida, venue, shows, demo, section: SECTION };
}

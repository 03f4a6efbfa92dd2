// What is measured: an office with demo data, a house of 2,000 seats in it, and somebody who is
// at each step of buying.

const PASSWORD = "open sesame door";
const DAY_MS = 86_400_000;
// 2,000 seats, 480 in each of the first sections; a line of a grid is a tier.
const HOUSE = [
  "Stalls left, 20, 24 | Stalls right, 20, 24",
  "Circle left, 20, 24 | Circle right, 20, 24",
  "Balcony, 2, 40",
].join("\n");
const SECTION = "Stalls left";
const PRICES = {
  "Stalls left": 90_000, "Stalls right": 90_000,
  "Circle left": 70_000, "Circle right": 70_000, "Balcony": 50_000,
};

class Person {
  constructor(base) {
    this.base = base;
    this.cookies = new Map();
  }

  get cookie() {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  async ask(method, path, fields) {
    const headers = { Accept: "application/json", Cookie: this.cookie };
    if (fields) headers["Content-Type"] = "application/json";
    const body = fields && JSON.stringify(fields);
    const signal = AbortSignal.timeout(20_000);
    const answer = await fetch(this.base + path, { method, headers, body, signal });
    for (const header of answer.headers.getSetCookie()) {
      const [name, value] = header.split(";")[0].split(/=(.*)/s);
      this.cookies.set(name, value);
    }
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text ? JSON.parse(text) : null;
  }

  async logIn(name) {
    await this.ask("POST", "/login", { email: `${name}@stagedoor.example`, password: PASSWORD });
    return this;
  }
}

function show(title, slug, capacity) {
  const local = (ms) => new Date(Date.now() + ms).toISOString().slice(0, 16);
  return {
    title, slug, description: "Two hours, one interval.",
    on_sale_at: local(-3 * DAY_MS), off_sale_at: local(30 * DAY_MS),
    queue_capacity: String(capacity), queue_rate_per_second: "",
    stay_minutes: "60", hold_minutes: "30", places_per_account_max: "8",
    refund_until_hours: "24", refund_percent: "100",
  };
}

// Makes a show with the house of 2,000 seats; returns its performance.
async function makeShow(admin, venue, form) {
  const made = await admin.ask("POST", "/admin/programs", form);
  const path = `/admin/programs/${made.id}`;
  const starts_at = new Date(Date.now() + 20 * DAY_MS).toISOString().slice(0, 16);
  const { id } = await admin.ask("POST", `${path}/schedules`, { venue_id: venue, starts_at });
  const prices = { version: 0, section: Object.keys(PRICES), price: Object.values(PRICES) };
  await admin.ask("POST", `/admin/schedules/${id}/prices`, prices);
  await admin.ask("POST", `${path}/publication`, { version: 0 });
  return id;
}

async function makeHouse(admin) {
  const form = { name: "Grand Hall", address: "Seoul", time_zone: "Asia/Seoul" };
  const { id } = await admin.ask("POST", "/admin/venues", form);
  await admin.ask("POST", `/admin/venues/${id}/seats`, { version: 0, grid: HOUSE });
  return id;
}

async function untilAdmitted(person, slug) {
  const TRIES_MAX = 100;
  for (let n = 0; n < TRIES_MAX; n += 1) {
    const { entry_url } = await person.ask("GET", `/programs/${slug}/queue`);
    if (entry_url) return;
    await new Promise((resolve) => { setTimeout(resolve, 200); });
  }
  throw new Error(`nobody was let in to ${slug}`);
}

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

  const of = (person) => (name, path) => ({ name, path, cookie: person.cookie });
  const [ofMina, ofDoor] = [of(mina), of(door)];
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
  ];
}

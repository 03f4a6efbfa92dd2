// What is made for a run beside the demo data: shows, and a house of 2,000 seats.

const DAY_MS = 86_400_000;
// 2,000 seats, 480 in each of the first sections; a line of a grid is a tier.
const HOUSE = [
  "Stalls left, 20, 24 | Stalls right, 20, 24",
  "Circle left, 20, 24 | Circle right, 20, 24",
  "Balcony, 2, 40",
].join("\n");
/** The first section of the house of 2,000 seats. */
export const SECTION = "Stalls left";
const PRICES = {
  "Stalls left": 90_000, "Stalls right": 90_000,
  "Circle left": 70_000, "Circle right": 70_000, "Balcony": 50_000,
};

/** Returns the form of a show on sale with a line of so many inside at once. */
export function show(title, slug, capacity) {
  const local = (ms) => new Date(Date.now() + ms).toISOString().slice(0, 16);
  return {
    title, slug, description: "Two hours, one interval.",
    on_sale_at: local(-3 * DAY_MS), off_sale_at: local(30 * DAY_MS),
    queue_capacity: String(capacity), queue_rate_per_second: "",
    stay_minutes: "60", hold_minutes: "30", places_per_account_max: "8",
    refund_until_hours: "24", refund_percent: "100",
  };
}

// On the clock of the house, as every time is typed.
function inTwentyDays() {
  return `${new Date(Date.now() + 20 * DAY_MS).toISOString().slice(0, 10)}T19:30`;
}

/** Makes a show with the house of 2,000 seats; returns its performance. */
export async function makeShow(admin, venue, form, starts_at = inTwentyDays()) {
  const made = await admin.ask("POST", "/admin/programs", form);
  const path = `/admin/programs/${made.id}`;
  const { id } = await admin.ask("POST", `${path}/schedules`, { venue_id: venue, starts_at });
  const prices = { version: 0, section: Object.keys(PRICES), price: Object.values(PRICES) };
  await admin.ask("POST", `/admin/schedules/${id}/prices`, prices);
  await admin.ask("POST", `${path}/publication`, { version: 0 });
  return id;
}

/** Makes the house of 2,000 seats; returns its venue. */
export async function makeHouse(admin) {
  const form = { name: "Grand Hall", address: "Seoul", time_zone: "Asia/Seoul" };
  const { id } = await admin.ask("POST", "/admin/venues", form);
  await admin.ask("POST", `/admin/venues/${id}/seats`, { version: 0, grid: HOUSE });
  return id;
}

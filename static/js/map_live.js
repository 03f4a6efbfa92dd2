// Keeps an open map live: follows its changes, shows what is left of zones and
// sections and what it costs, and tells the rest of the page with the event `map-changed`.
//
// Without this file the page is as fresh as its reload.

import { priceWriter } from "./price.js";
import { follow } from "./seat_live.js";
import { typedPrice } from "./seat_types.js";

// Classes of prices, each with a colour and a mark of its own.
const CLASSES = 4;

// For as long as the server leases seats to whoever was refused.
const LEASE_MS = 10_000;

const live = document.querySelector("[data-live-map]");
const written = live && priceWriter(live.dataset);
const number = new Intl.NumberFormat(document.documentElement.lang);

// The seats that this page offers are held for its reader: nobody took them.
const offer = document.querySelector("[data-leased]");
const own = new Set(offer ? offer.dataset.leased.split(" ") : []);
const openedAt = performance.now();

if (live) follow(live.dataset.changes, live.dataset.cursor, apply, (on) => { live.hidden = on; });

function apply({ seats = [], zones = [], sections = [], price_version }) {
  for (const zone of zones) showZone(zone);
  for (const section of sections) showSection(section);
  // Everything priced until then is shown now.
  for (const field of document.querySelectorAll('input[name="price_version"]')) {
    field.value = price_version;
  }
  const told = seats.filter((seat) => !isOwnLease(seat));
  if (told.length === 0) return;
  document.dispatchEvent(new CustomEvent("map-changed", { detail: { seats: told } }));
}

function isOwnLease({ id, status }) {
  const isLeased = performance.now() - openedAt < LEASE_MS;
  return isLeased && status === "HELD" && own.has(String(id));
}

// What is sold out keeps its form, hidden: places may come back.
function showZone({ id, remaining, price }) {
  const zone = document.querySelector(`[data-zone="${CSS.escape(String(id))}"]`);
  if (!zone) return;
  const isOff = remaining <= 0;
  const left = zone.querySelector("[data-zone-remaining]");
  put(left, left.dataset.text.replace("{free}", number.format(remaining)));
  put(zone.querySelector("[data-zone-price]"), written.price(price));
  zone.querySelector('input[name="unit_price"]').value = price;
  zone.classList.toggle("zone--off", isOff);
  left.hidden = isOff;
  zone.querySelector("form").hidden = isOff;
  zone.querySelector("[data-zone-sold-out]").hidden = !isOff;
  for (const sign of zone.querySelectorAll("[data-type-price]")) {
    if (sign.dataset.percent === "0") continue;
    put(sign, written.price(typedPrice(price, sign.dataset)));
  }
  for (const option of zone.querySelectorAll("[data-count]")) {
    option.disabled = Number(option.dataset.count) > remaining;
  }
  const quantity = zone.querySelector('select[name="quantity"]');
  if (!quantity) return;
  for (const option of quantity.options) option.disabled = Number(option.value) > remaining;
  if (!isOff && Number(quantity.value) > remaining) quantity.value = String(remaining);
}

function showSection({ name, free, price_min, price_max }) {
  const count = number.format(free);
  const { textAmount, textFree, textSign, textSoldOut } = live.dataset;
  const prices = written.range(textAmount, price_min, price_max);
  const words = free > 0 ? textFree.replace("{free}", count) : textSoldOut;
  const look = free > 0 ? `seat--price-${classOf(price_max)}` : "block--sold-out";
  const block = document.querySelector(`[data-section="${CSS.escape(name)}"]`);
  if (block) {
    block.setAttribute("class", `block ${look}`);
    const label = block.dataset.label.replace("{free}", count).replace("{prices}", prices);
    put(block.querySelector("[data-name]"), label);
    put(block.querySelector("[data-price-sign]"), written.range(textSign, price_min, price_max));
    put(block.querySelector("[data-free]"), words);
  }
  const link = document.querySelector(`[data-section-link="${CSS.escape(name)}"]`);
  if (!link) return;
  link.setAttribute("class", `overview__link ${look}`);
  put(link.querySelector("[data-prices]"), prices);
  put(link.querySelector("[data-free]"), words);
}

// A price that is new is shown in the class of the next cheaper one until the page is opened again.
function classOf(price) {
  const scale = document.querySelector("[data-overview]")?.dataset.scale.split(" ") ?? [];
  return Math.min(scale.filter((each) => Number(each) > price).length + 1, CLASSES);
}

function put(target, words) {
  if (target && target.textContent !== words) target.textContent = words;
}

// Keeps an open map live: follows its changes, shows what is left of zones and
// sections, and tells the rest of the page with the event `map-changed`.
//
// Without this file the page is as fresh as its reload.

import { follow } from "./seat_live.js";

const SHADES = 4;

const live = document.querySelector("[data-live-map]");
const number = new Intl.NumberFormat(document.documentElement.lang);

if (live) follow(live.dataset.changes, live.dataset.cursor, apply, (on) => { live.hidden = on; });

function apply({ seats = [], zones = [], sections = [] }) {
  for (const zone of zones) showZone(zone);
  for (const section of sections) showSection(section);
  if (seats.length > 0) document.dispatchEvent(new CustomEvent("map-changed", { detail: { seats } }));
}

// What is sold out keeps its form, hidden: places may come back.
function showZone({ id, remaining }) {
  const zone = document.querySelector(`[data-zone="${CSS.escape(String(id))}"]`);
  if (!zone) return;
  const isOff = remaining <= 0;
  const left = zone.querySelector("[data-zone-remaining]");
  put(left, left.dataset.text.replace("{free}", number.format(remaining)));
  zone.classList.toggle("zone--off", isOff);
  left.hidden = isOff;
  zone.querySelector("form").hidden = isOff;
  zone.querySelector("[data-zone-sold-out]").hidden = !isOff;
  const quantity = zone.querySelector("select");
  for (const option of quantity.options) option.disabled = Number(option.value) > remaining;
  if (!isOff && Number(quantity.value) > remaining) quantity.value = String(remaining);
}

function showSection({ name, free }) {
  const count = number.format(free);
  const { textFree, textSoldOut } = live.dataset;
  const block = document.querySelector(`[data-section="${CSS.escape(name)}"]`);
  if (block) {
    const shade = Math.min(Math.ceil((free * SHADES) / Number(block.dataset.seats)), SHADES);
    block.setAttribute("class", `block block--${shade}`);
    block.setAttribute("aria-label", block.dataset.label.replace("{free}", count));
    put(block.querySelector("[data-free]"), free > 0 ? count : textSoldOut);
  }
  const words = document.querySelector(`[data-section-free="${CSS.escape(name)}"]`);
  put(words, free > 0 ? textFree.replace("{free}", count) : textSoldOut);
}

function put(target, words) {
  if (target && target.textContent !== words) target.textContent = words;
}

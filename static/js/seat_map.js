// Lets people choose seats on the drawing.
//
// The check boxes of the list are the truth: they are what is sent, with or
// without this file. The drawing shows them: each seat in it is the picture of a
// box, in their order, and gets that box's id as `data-seat`. Server statuses are
// AVAILABLE (of which the page says nothing), HELD, RESERVED and BLOCKED; "mine"
// is a checked box.
//
// A hall has hundreds of seats. What a hand does is ready at once; what is said of each seat
// follows in pieces, so that no touch waits for all of them.

import { priceWriter } from "./price.js";
import { SEAT_SIZE, Seat } from "./seat.js";
import { seatCloser } from "./seat_closer.js";
import { isOnReturn, seatTypes } from "./seat_types.js";
import { seatView } from "./seat_view.js";
import { zoomable } from "./seat_zoom.js";

const TOUCH_PX_MIN = 28;
const TOUCH_PX_WANTED = 44;
// Marks of prices that are drawn.
const CLASSES = 4;
// Too short to be felt.
const PIECE_MS = 8;
const CLASS = "seat--price-";
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

const form = document.querySelector("[data-seat-form]");
const svg = document.querySelector("[data-seat-map]");
const text = form?.dataset;
const number = new Intl.NumberFormat(document.documentElement.lang);
const seats = new Map();
const amount = form && priceWriter(text).price;
const types = form && seatTypes(form, amount, showTotal);
let zoom = null;

if (form) {
  for (const box of form.querySelectorAll('input[name="seat_ids"]')) {
    seats.set(box.value, new Seat(box, text.textName));
  }
  form.addEventListener("change", ({ target }) => {
    const seat = seatOfBox(target);
    if (seat) choose(seat, target.checked);
  });
  if (svg) setUpDrawing();
  form.elements.code?.addEventListener("input", showTotal);
  inPieces(seats.values(), paint);
  for (const element of form.querySelectorAll("[data-needs-js]")) element.hidden = false;
  for (const element of form.querySelectorAll("[data-without-js]")) element.hidden = true;
  showTotal();
}

if (form) document.addEventListener("map-changed", (event) => applyChanges(event.detail));

// Does `work` with each of `items`, and lets go of the page in between.
async function inPieces(items, work) {
  let until = 0;
  for (const item of items) {
    if (performance.now() >= until) {
      await new Promise((go) => { setTimeout(go); });
      until = performance.now() + PIECE_MS;
    }
    work(item);
  }
}

// Takes `{seats: [{id, status, price, on_return}]}` into the page.
function applyChanges({ seats: changed = [] }) {
  for (const { id, status, price, on_return: onReturn = false } of changed) {
    const seat = seats.get(String(id));
    if (!seat) continue;
    const free = status === "AVAILABLE";
    if (seat.box.checked && !free) {
      seat.box.checked = false;
      say(text.textGone.replace("{name}", seat.name));
    }
    seat.box.disabled = !free;
    seat.box.dataset.status = status;
    seat.box.toggleAttribute("data-on-return", onReturn);
    if (String(price) !== seat.box.dataset.price) reprice(seat, price);
    paint(seat);
  }
  if (changed.length > 0) showTotal();
}

function reprice(seat, price) {
  const { box, mark } = seat;
  box.dataset.price = price;
  const kind = legendOf(price);
  for (const each of [box.closest(".pick"), mark]) {
    each?.classList.replace(classOf(each), `${CLASS}${kind}`);
  }
  if (box.checked) {
    say(text.textPriced.replace("{name}", seat.name).replace("{amount}", amount(price)));
  }
}

function classOf(element) {
  return [...element.classList].find((name) => name.startsWith(CLASS));
}

// The number of a price's mark; a price that is not in the legend joins it with the last mark.
function legendOf(price) {
  const known = document.querySelector(`[data-legend-price="${price}"]`);
  if (known) return known.dataset.legendClass;
  const items = document.querySelectorAll("[data-legend-price]");
  const last = items[items.length - 1];
  const item = last.cloneNode(true);
  item.dataset.legendPrice = price;
  const used = Number(last.dataset.legendClass);
  const kind = String(Math.min(used + 1, CLASSES));
  item.dataset.legendClass = kind;
  const picture = item.querySelector("svg");
  picture.classList.replace(`${CLASS}${used}`, `${CLASS}${kind}`);
  picture.querySelector("use").setAttribute("href", `#seat-free-${kind}`);
  item.querySelector("[data-legend-category]")?.remove();
  item.querySelector("[data-legend-amount]").textContent = amount(price);
  last.after(item);
  return kind;
}

function setUpDrawing() {
  svg.removeAttribute("aria-hidden");
  svg.setAttribute("role", "group");
  svg.setAttribute("aria-label", text.textMap);

  const marks = svg.querySelectorAll(".seat");
  [...seats.values()].forEach((seat, position) => {
    if (marks[position]) seat.markedBy(marks[position]);
  });
  // A row's link lies over its seats, for as long as nothing else chooses them.
  for (const link of svg.querySelectorAll("a")) link.remove();
  // The way in by keyboard: the free seat nearest to the stage.
  const free = [...seats.values()].filter((seat) => seat.mark && !seat.box.disabled);
  const first = free.reduce((best, seat) => (best && best.y <= seat.y ? best : seat), null);
  first?.mark.setAttribute("tabindex", "0");

  const button = (name) => document.querySelector(`[data-zoom="${name}"]`);
  const buttons = { in: button("in"), out: button("out"), reset: button("reset") };
  const closer = seatCloser(svg, [...seats.values()].filter((seat) => seat.mark));
  zoom = zoomable(svg, buttons, closer);
  const view = seatView(form, svg);
  const show = ({ target }) => {
    const seat = seatOfMark(target) ?? seatOfBox(target);
    if (seat) view(seat);
  };
  form.addEventListener("focusin", show);
  svg.addEventListener("pointerover", show);
  svg.addEventListener("click", clicked);
  svg.addEventListener("keydown", pressed);
}

function clicked(event) {
  if (zoom.moved()) return;
  const seat = seatOfMark(event.target);
  if (matchMedia("(pointer: coarse)").matches && SEAT_SIZE * zoom.pixelsPerUnit() < TOUCH_PX_MIN) {
    // Too small for a finger: the first tap comes closer, the second one chooses.
    const tapped = new DOMPoint(event.clientX, event.clientY);
    const { x, y } = tapped.matrixTransform(svg.getScreenCTM().inverse());
    const [, , width] = svg.getAttribute("viewBox").split(" ").map(Number);
    const whole = Number(svg.dataset.width) || width;
    zoom.zoomTo(x, y, (whole / width) * (TOUCH_PX_WANTED / (SEAT_SIZE * zoom.pixelsPerUnit())));
    return;
  }
  if (seat) {
    focus(seat);
    toggle(seat);
  }
}

function pressed(event) {
  const seat = seatOfMark(event.target);
  if (!seat) return;
  const step = STEPS[event.key];
  if (step) {
    const next = neighbour(seat, step);
    if (next) focus(next);
  } else if (event.key === " " || event.key === "Enter") {
    toggle(seat);
  } else {
    return;
  }
  event.preventDefault();
}

// The nearest seat in that direction; sideways distance counts double, so that
// an arrow keeps to its row where rows are curved.
function neighbour(from, [dx, dy]) {
  let best = null;
  let bestFar = Infinity;
  for (const seat of seats.values()) {
    if (!seat.mark || seat === from) continue;
    const along = (seat.x - from.x) * dx + (seat.y - from.y) * dy;
    const aside = Math.abs((seat.x - from.x) * dy) + Math.abs((seat.y - from.y) * dx);
    if (along <= SEAT_SIZE / 4 || aside > along * 1.5) continue;
    const far = along + 2 * aside;
    if (far < bestFar) [best, bestFar] = [seat, far];
  }
  return best;
}

function focus(seat) {
  svg.querySelector('[tabindex="0"]')?.setAttribute("tabindex", "-1");
  seat.mark.setAttribute("tabindex", "0");
  seat.mark.focus({ preventScroll: true });
  zoom.reveal(seat.x, seat.y);
}

function toggle(seat) {
  if (seat.box.disabled) return;
  seat.box.checked = !seat.box.checked;
  choose(seat, seat.box.checked);
}

function choose(seat, wanted) {
  if (wanted && chosen().length > Number(text.max)) {
    seat.box.checked = false;
    say(text.textLimit);
  } else {
    say("");
  }
  paint(seat);
  showTotal();
}

function chosen() {
  return [...seats.values()].filter(({ box }) => box.checked);
}

function paint(seat) {
  const { box, mark } = seat;
  const { textMine: mine, textFree: free, textTaken: taken, textSold: sold } = text;
  const { status: told = "AVAILABLE" } = box.dataset;
  const unchecked = { AVAILABLE: "free", HELD: "taken" }[told] ?? "sold";
  const status = box.checked ? "mine" : unchecked;
  const pattern = box.dataset.kind ? text.textLabelKind : text.textLabel;
  const label = pattern
    .replace("{name}", seat.name)
    .replace("{kind}", box.dataset.kind)
    .replace("{amount}", amount(box.dataset.price))
    .replace("{status}", { mine, free, taken, sold }[status]);
  box.setAttribute("aria-label", label);
  if (!mark) return;
  const shape = status === "free" ? `free-${classOf(mark).slice(CLASS.length)}` : status;
  seat.draw(shape);
  mark.classList.toggle("seat--mine", status === "mine");
  mark.classList.toggle("seat--off", box.disabled);
  mark.setAttribute("aria-label", label);
  mark.setAttribute("aria-checked", String(box.checked));
  mark.setAttribute("aria-disabled", String(box.disabled));
}

function showTotal() {
  const mine = chosen();
  types.show(mine);
  const sum = mine.reduce((prices, seat) => prices + types.price(seat), 0);
  // What somebody gives back costs what was paid for it, with a code too.
  const returned = mine.filter(isOnReturn);
  const off = discountOf(returned.reduce((rest, seat) => rest - types.price(seat), sum));
  const total = sum - off;
  const note = form.querySelector("[data-returned-note]");
  if (note) note.hidden = returned.length === 0;
  put("[data-discount]", off > 0 ? `${text.codeWord} −${amount(off)}` : "");
  put("[data-total]", amount(total));
  const names = mine.map(({ name }) => name).join(" · ");
  put("[data-chosen]", mine.length === 0 ? text.textNone : names);
  put("[data-chosen-count]", number.format(mine.length));
  // What is sent is what is shown: the request is refused when it costs anything else.
  const shown = form.querySelector("[data-total-shown]");
  if (shown) shown.value = mine.length > 0 ? total : "";
  const button = form.querySelector("[data-hold]");
  if (button) button.disabled = mine.length === 0;
}

// What the code whose terms are shown takes off, as the server computes it.
function discountOf(sum) {
  const { codeWord: word, codePercent: percent = 0, codeAmount: amount = 0 } = text;
  const typed = form.elements.code?.value.trim().toUpperCase();
  if (!word || typed !== word) return 0;
  return Number(percent) > 0 ? Math.floor((sum * percent) / 100) : Math.min(sum, Number(amount));
}

function put(selector, value) {
  const target = form.querySelector(selector);
  if (target && target.textContent !== value) target.textContent = value;
}

function say(words) {
  put("[data-say]", words);
}

function seatOfMark(target) {
  return seats.get(target.closest("[data-seat]")?.dataset.seat);
}

function seatOfBox(target) {
  return target.name === "seat_ids" ? seats.get(target.value) : undefined;
}

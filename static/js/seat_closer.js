// Shows what helps while a drawing is seen from close by: the numbers of its seats,
// and a small picture of the whole with the part that is shown.

import { SEAT_SIZE } from "./seat.js";

const SVG = "http://www.w3.org/2000/svg";
// Below this a number could not be read.
const NUMBER_PX_MIN = 9;
const NUMBER_SIZE = 6;

/** Returns `changed(view, pixelsPerUnit)` for `zoomable`; each of `seats` has a mark. */
export function seatCloser(svg, seats) {
  const whole = svg.getAttribute("viewBox");
  let numbered = false;
  let map = null;

  function showNumbers(isNear) {
    if (isNear && !numbered) {
      numbered = true;
      for (const seat of seats) seat.mark.append(sign(seat));
    }
    svg.classList.toggle("seat-map__drawing--near", isNear);
  }

  return (view, pixelsPerUnit) => {
    showNumbers(view !== null && NUMBER_SIZE * pixelsPerUnit >= NUMBER_PX_MIN);
    if (view) map ??= wholeOf(svg, seats, whole);
    if (!map) return;
    map.picture.toggleAttribute("hidden", view === null);
    if (view) place(map.frame, { x: view.x, y: view.y, width: view.w, height: view.h });
  };
}

function sign({ number, x, y }) {
  const text = make("text", { x, y: y + SEAT_SIZE * 0.37, class: "seat__number" });
  text.textContent = number;
  return text;
}

function wholeOf(svg, seats, whole) {
  const picture = make("svg", {
    viewBox: whole, class: "seat-map__whole", "aria-hidden": "true",
  });
  const half = SEAT_SIZE / 2;
  const squares = seats.map(({ x, y }) => {
    return `M${x - half} ${y - half}h${SEAT_SIZE}v${SEAT_SIZE}h${-SEAT_SIZE}z`;
  });
  const frame = make("rect", { class: "seat-map__part" });
  const drawn = make("path", { d: squares.join(""), class: "seat-map__seats" });
  picture.append(drawn, frame);
  svg.after(picture);
  return { picture, frame };
}

function make(name, attributes) {
  return place(document.createElementNS(SVG, name), attributes);
}

function place(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

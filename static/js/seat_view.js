// Says and draws how a seat sees the stage: about how many rows away, and at which angle.
//
// The stage's place is in the drawing's data, in its units; it may lie outside of the drawing. A
// section is turned towards its front row, so its angle is turned back. Without this file each row
// of the list says the same of its ends.

import { SEAT_SIZE } from "./seat.js";

// Between two rows of a plan without places, in units of the drawing: 1.15 of 26.
const ROW_PITCH = 29.9;
// The server counts likewise: nobody sits on the stage, and who is nearly in the middle is there.
const ROWS_MIN = 2;
const CENTRE_DEGREES_MAX = 3;
// In the small picture, whose stage is above its seats.
const NEAREST = 12;
const FARTHEST = 42;
const STAGE_HALF = 11;
const STAGE_FOOT = 6;
const HALF_WIDTH = 28;

/** Returns `view(seat)`, which shows the view of a seat. */
export function seatView(form, svg) {
  const root = form.querySelector("[data-seat-view]");
  const { stageX, stageY, turn = "0" } = svg.dataset;
  if (!root || stageX === undefined) return () => {};
  const text = root.dataset;
  const [name, words, dot, sight] = ["name", "words", "seat", "sight"]
    .map((part) => root.querySelector(`[data-view-${part}]`));

  return (seat) => {
    const { x, y } = seat;
    const aside = x - SEAT_SIZE / 2 - Number(stageX);
    const along = y - SEAT_SIZE / 2 - Number(stageY);
    const away = Math.hypot(aside, along) / ROW_PITCH;
    // In the drawing a section has been turned by `turn`, against the clock.
    let degrees = Math.round((Math.atan2(aside, along) * 180) / Math.PI - Number(turn));
    if (Math.abs(degrees) < CENTRE_DEGREES_MAX) degrees = 0;
    const sides = [text.textLeft, text.textCentre, text.textRight];
    const side = sides[Math.sign(degrees) + 1].replace("{degrees}", Math.abs(degrees));
    const rows = Math.max(Math.round(away), ROWS_MIN);
    name.textContent = seat.name;
    words.textContent = text.text.replace("{rows}", rows).replace("{side}", side);
    draw((degrees * Math.PI) / 180, Math.min(away / Number(text.far), 1));
  };

  function draw(angle, share) {
    const far = NEAREST + (FARTHEST - NEAREST) * share;
    const left = Math.max(-HALF_WIDTH, Math.min(HALF_WIDTH, far * Math.sin(angle)));
    const top = Math.max(far * Math.cos(angle), NEAREST);
    dot.setAttribute("cx", left);
    dot.setAttribute("cy", top);
    sight.setAttribute("d", `M${left} ${top}L${-STAGE_HALF} ${STAGE_FOOT}H${STAGE_HALF}z`);
  }
}

// Lets people choose the price type of each chosen seat, below the map.
//
// A select has the name and value that a form without scripts sends: `seat_types` is "SEAT:TYPE",
// and empty at the ordinary price. What a type costs is computed as the server does, which compares
// the total and charges nothing else.

/** What a place costs whose ordinary price is `ordinary`; `percent` and `fixed` are texts. */
export function typedPrice(ordinary, { percent, fixed }) {
  if (fixed) return Math.min(Number(fixed), ordinary);
  if (percent === "0") return 0;
  // In two parts, so that no product is beyond the whole numbers that a script can hold.
  const whole = Math.floor(ordinary / 100) * Number(percent);
  const rest = Math.floor(((ordinary % 100) * Number(percent)) / 100);
  return Math.max(whole + rest, Math.min(ordinary, 1));
}

/** Whether somebody gives the seat back, at what was paid for it. */
export function isOnReturn({ box }) {
  return box.hasAttribute("data-on-return");
}

/** Sets up the choice of types in `form`; `changed` is called after each choice. */
export function seatTypes(form, amount, changed) {
  const root = form.querySelector("[data-seat-types]");
  if (!root) return { show: () => {}, price: (seat) => seat.price };
  const list = root.querySelector("[data-seat-types-list]");
  const template = root.querySelector("template");
  const rows = new Map();

  function rowOf(seat) {
    const { box } = seat;
    const known = rows.get(box.value);
    if (known) return known;
    const row = template.content.firstElementChild.cloneNode(true);
    row.querySelector("[data-seat-name]").textContent = seat.name;
    const select = row.querySelector("select");
    // A seat that may have all types does not list them.
    const allowed = box.dataset.types?.split(" ");
    [...select.options].slice(1).forEach((option, position) => {
      if (allowed?.includes(String(position)) ?? true) {
        option.selected = option.value === box.dataset.type;
        option.value = `${box.value}:${option.value}`;
      } else {
        option.remove();
      }
    });
    select.addEventListener("change", changed);
    rows.set(box.value, row);
    return row;
  }

  function price(seat) {
    if (isOnReturn(seat)) return seat.price;
    const option = rowOf(seat).querySelector("select").selectedOptions[0];
    return typedPrice(seat.price, option.dataset);
  }

  // The rows of the chosen seats, in their order, at today's prices.
  function show(seats) {
    const shown = seats.map((seat) => rowOf(seat));
    for (const row of [...list.children]) if (!shown.includes(row)) row.remove();
    seats.forEach((seat, position) => {
      const row = shown[position];
      const select = row.querySelector("select");
      // No type is had of what somebody gives back; a select that is disabled is not sent.
      select.disabled = isOnReturn(seat);
      if (select.disabled) select.selectedIndex = 0;
      for (const option of row.querySelectorAll("option")) {
        const price = typedPrice(seat.price, option.dataset);
        const cost = option.dataset.percent === "0" ? root.dataset.textFree : amount(price);
        const words = root.dataset.textPrice.replace("{name}", option.dataset.name);
        option.textContent = words.replace("{amount}", cost);
      }
      if (list.children[position] !== row) list.insertBefore(row, list.children[position] ?? null);
    });
  }

  return { show, price };
}

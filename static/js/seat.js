// A seat of the page: its check box in the list, and its mark in the drawing.

/** Of a seat in the drawing, in its units. */
export const SEAT_SIZE = 20;

export class Seat {
  /** `pattern` is that of its name, with `{section}`, `{row}` and `{number}`. */
  constructor(box, pattern) {
    this.box = box;
    this.pattern = pattern;
    // In the drawing, if it is there: `x` and `y` are its middle.
    this.mark = null;
    this.x = 0;
    this.y = 0;
  }

  get number() {
    return this.box.nextElementSibling.firstChild.textContent.trim();
  }

  // Put together here: the page has no name for each of its seats.
  get name() {
    return this.pattern
      .replace("{section}", this.box.closest("[data-section-name]").dataset.sectionName)
      .replace("{row}", this.box.closest("[data-row-name]").dataset.rowName)
      .replace("{number}", this.number);
  }

  get price() {
    return Number(this.box.dataset.price);
  }

  // Only where it is another: each picture that is set is built anew, and the server has
  // drawn most of them as they are.
  draw(shape) {
    const picture = this.mark.firstElementChild;
    const name = `#seat-${shape}`;
    if (picture.getAttribute("href") !== name) picture.setAttribute("href", name);
  }

  /** Makes `mark`, whose first element is its picture, a second handle of the check box. */
  markedBy(mark) {
    const picture = mark.firstElementChild;
    this.mark = mark;
    this.x = Number(picture.getAttribute("x")) + SEAT_SIZE / 2;
    this.y = Number(picture.getAttribute("y")) + SEAT_SIZE / 2;
    mark.dataset.seat = this.box.value;
    mark.setAttribute("role", "checkbox");
    mark.setAttribute("tabindex", "-1");
    mark.setAttribute("aria-describedby", "seat-view");
  }
}

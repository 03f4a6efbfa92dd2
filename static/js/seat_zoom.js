// Zooms and moves a drawing by its viewBox: wheel, pinch, drag, double tap, buttons.

const ZOOM_MAX = 12;
const DRAG_PX_MIN = 6;
const TAP_FACTOR = 2.2;

/**
 * Calls `changed(view, pixelsPerUnit)` whenever another part is shown, `view` being
 * null while all of it is, as at first, when `buttons` say so too. Returns
 * `{ zoomTo(x, y, scale), reveal(x, y), reset(), pixelsPerUnit(), moved() }`, in the
 * drawing's units.
 */
export function zoomable(svg, buttons, changed) {
  const [x0, y0, w0, h0] = svg.getAttribute("viewBox").split(/[\s,]+/).map(Number);
  const pointers = new Map();
  let view = { x: x0, y: y0, w: w0, h: h0 };
  let dragged = 0;

  const scale = () => w0 / view.w;
  const pixelsPerUnit = () => Math.min(svg.clientWidth / view.w, svg.clientHeight / view.h);
  const clamp = (n, low, high) => Math.min(Math.max(n, low), Math.max(low, high));

  function set(x, y, w) {
    const width = clamp(w, w0 / ZOOM_MAX, w0);
    const height = (width * h0) / w0;
    const left = clamp(x, x0, x0 + w0 - width);
    const top = clamp(y, y0, y0 + h0 - height);
    view = { x: left, y: top, w: width, h: height };
    svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.w} ${view.h}`);
    // While everything is visible one finger scrolls the page; zoomed in it moves the map.
    svg.classList.toggle("seat-map__drawing--zoomed", scale() > 1.01);
    if (buttons.out) buttons.out.disabled = scale() <= 1.01;
    if (buttons.in) buttons.in.disabled = scale() >= ZOOM_MAX - 0.01;
    if (buttons.reset) buttons.reset.disabled = scale() <= 1.01;
    changed(scale() > 1.01 ? view : null, pixelsPerUnit());
  }

  function at(clientX, clientY) {
    return new DOMPoint(clientX, clientY).matrixTransform(svg.getScreenCTM().inverse());
  }

  function zoomAround(point, factor) {
    const w = clamp(view.w / factor, w0 / ZOOM_MAX, w0);
    const ratio = w / view.w;
    set(point.x - (point.x - view.x) * ratio, point.y - (point.y - view.y) * ratio, w);
  }
  const middle = () => ({ x: view.x + view.w / 2, y: view.y + view.h / 2 });

  svg.addEventListener("wheel", (event) => {
    // A plain wheel scrolls the page; with Ctrl (and on a track pad's pinch) it zooms.
    if (!event.ctrlKey && scale() <= 1.01) return;
    event.preventDefault();
    const factor = Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.002));
    zoomAround(at(event.clientX, event.clientY), factor);
  }, { passive: false });

  // Beside the seats: two presses on one would choose it and let it go.
  svg.addEventListener("dblclick", (event) => {
    if (!event.target.closest("[data-seat]")) {
      zoomAround(at(event.clientX, event.clientY), TAP_FACTOR);
    }
  });
  svg.addEventListener("pointerdown", (event) => {
    if (pointers.size === 0) dragged = 0;
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  });
  svg.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const now = { x: event.clientX, y: event.clientY };
    const others = [...pointers].filter(([id]) => id !== event.pointerId);
    if (others.length > 0) {
      const other = others[0][1];
      const far = (p) => Math.hypot(p.x - other.x, p.y - other.y) || 1;
      dragged = DRAG_PX_MIN;
      zoomAround(at((now.x + other.x) / 2, (now.y + other.y) / 2), far(now) / far(before));
    } else {
      dragged += Math.hypot(now.x - before.x, now.y - before.y);
      if (dragged >= DRAG_PX_MIN && scale() > 1.01) {
        // Captured only once it is a drag: a captured press would never click a seat.
        svg.setPointerCapture(event.pointerId);
        const units = 1 / pixelsPerUnit();
        set(view.x - (now.x - before.x) * units, view.y - (now.y - before.y) * units, view.w);
      }
    }
    pointers.set(event.pointerId, now);
  });
  for (const end of ["pointerup", "pointercancel", "pointerleave"]) {
    svg.addEventListener(end, (event) => pointers.delete(event.pointerId));
  }

  buttons.in?.addEventListener("click", () => zoomAround(middle(), 1.6));
  buttons.out?.addEventListener("click", () => zoomAround(middle(), 1 / 1.6));
  buttons.reset?.addEventListener("click", () => set(x0, y0, w0));

  return {
    pixelsPerUnit,
    moved: () => dragged >= DRAG_PX_MIN,
    reset: () => set(x0, y0, w0),
    zoomTo(x, y, factor) {
      const w = clamp(w0 / factor, w0 / ZOOM_MAX, w0);
      set(x - w / 2, y - (w * h0) / w0 / 2, w);
    },
    reveal(x, y) {
      const inside = x > view.x && x < view.x + view.w && y > view.y && y < view.y + view.h;
      if (!inside) set(x - view.w / 2, y - view.h / 2, view.w);
    },
  };
}

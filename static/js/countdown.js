// Counts down to a moment of the server's clock.
//
// <div data-countdown data-expires-at="…Z" data-now="…Z" data-at-minute="…"
//      data-at-zero="…" data-at-zero-show="id" data-at-zero-hide="id id" hidden>
//   <span data-countdown-left></span> <span role="status" data-countdown-say></span>
// </div>
//
// `data-now` is the server's time when it wrote the page: a wrong clock on the
// device must not cost anybody a seat. The digits are not a live region; only one
// minute before the end and the end itself are said aloud. Zero decides nothing:
// the server does, so the page merely shows what is true by then.

const SHOWN_FROM_MS_MAX = 24 * 60 * 60 * 1000;
// Not all open pages ask at once when everybody gets time back.
const ASK_AFTER_MS_MAX = 3000;
const TRIES_MAX = 5;

const timers = new WeakMap();

for (const element of document.querySelectorAll("[data-countdown]")) start(element);
document.addEventListener("time-given", () => {
  setTimeout(readAgain, Math.random() * ASK_AFTER_MS_MAX, 1);
});

// Reads the page again for its ends and the sentences that tell them (`data-told-end`) alone, so
// that nothing that was typed or chosen is lost.
async function readAgain(nth) {
  try {
    // What a refused form answered has the address of the form.
    const own = document.querySelector("[data-read-again]")?.dataset.readAgain;
    const answer = await fetch(own ?? location.href, { headers: { accept: "text/html" } });
    if (answer.redirected) return;
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const [note, newNote] = [document, page].map((each) => each.querySelector("[data-given-time]"));
    if (note && newNote) note.replaceChildren(...document.adoptNode(newNote).childNodes);
    const told = page.querySelectorAll("[data-told-end]");
    for (const [index, words] of document.querySelectorAll("[data-told-end]").entries()) {
      words.textContent = told[index]?.textContent ?? words.textContent;
    }
    const fresh = page.querySelectorAll("[data-countdown]");
    for (const [index, element] of document.querySelectorAll("[data-countdown]").entries()) {
      const { expiresAt, now } = fresh[index]?.dataset ?? element.dataset;
      if (expiresAt === element.dataset.expiresAt) continue;
      Object.assign(element.dataset, { expiresAt, now });
      start(element);
    }
  } catch {
    // The moment that stands beside is as old; the server decides.
    if (nth < TRIES_MAX) setTimeout(readAgain, ASK_AFTER_MS_MAX * nth, nth + 1);
  }
}

function start(element) {
  clearTimeout(timers.get(element));
  const endsAt = Date.parse(element.dataset.expiresAt);
  const offset = Date.parse(element.dataset.now) - Date.now();
  if (Number.isNaN(endsAt) || Number.isNaN(offset)) return;

  const left = element.querySelector("[data-countdown-left]");
  const say = element.querySelector("[data-countdown-say]");
  let minuteSaid = endsAt - Date.now() - offset <= 60_000;
  if (element.classList.contains("countdown--over")) unfinish(element, say);

  const tick = () => {
    const leftMs = endsAt - Date.now() - offset;
    element.hidden = leftMs > SHOWN_FROM_MS_MAX;
    if (leftMs <= 0) {
      finish(element, left, say);
      return;
    }
    left.textContent = clock(leftMs);
    element.classList.toggle("countdown--soon", leftMs <= 60_000);
    if (leftMs <= 60_000 && !minuteSaid) {
      minuteSaid = true;
      if (say && element.dataset.atMinute) say.textContent = element.dataset.atMinute;
    }
    // Aligned to the next whole second, so that no second is skipped or shown twice.
    timers.set(element, setTimeout(tick, Math.min(leftMs % 1000 || 1000, 1000)));
  };
  tick();
}

function finish(element, left, say) {
  const { atZero, atZeroShow, atZeroHide } = element.dataset;
  left.textContent = clock(0);
  element.classList.add("countdown--over");
  if (say && atZero) {
    // The words are for everybody now, not only for those who listen.
    say.classList.remove("visually-hidden");
    say.textContent = atZero;
  }
  setHidden(atZeroHide, true);
  setHidden(atZeroShow, false);
}

// The end was moved after it had come: what it hid is there again.
function unfinish(element, say) {
  element.classList.remove("countdown--over");
  say?.classList.add("visually-hidden");
  if (say) say.textContent = "";
  setHidden(element.dataset.atZeroHide, false);
  setHidden(element.dataset.atZeroShow, true);
}

function setHidden(ids, hidden) {
  for (const id of ids?.split(" ") ?? []) {
    const element = document.getElementById(id);
    if (element) element.hidden = hidden;
  }
}

function clock(ms) {
  const seconds = Math.ceil(ms / 1000);
  const two = (n) => String(n).padStart(2, "0");
  const h = Math.floor(seconds / 3600);
  const m = Math.floor(seconds / 60) % 60;
  return h > 0 ? `${h}:${two(m)}:${two(seconds % 60)}` : `${m}:${two(seconds % 60)}`;
}

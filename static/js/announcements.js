// Shows what the office says to a line, as soon as it is said, and tells the rest of the
// page with the event `time-given` that stays and holds end later than it says.
//
// An event stream brings what stands whenever that changes; a page that polls
// anyway calls `showAnnouncements` with the same list. Without this file the page
// says what stood when it was loaded.

const place = document.querySelector("[data-announcements]");
const language = document.documentElement.lang;

const RETRY_MS = 5000;

let source = null;
let timer = 0;

if (place && "EventSource" in window) {
  listen();
  document.addEventListener("visibilitychange", listen);
  addEventListener("pagehide", () => source?.close());
  // A page that the Back button brings back has no stream any more.
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
}

// A tab that is not seen has no stream: a browser opens few connections to one site, and the first
// event of the next stream says what stands then.
function listen() {
  clearTimeout(timer);
  source?.close();
  if (document.hidden) return;
  source = new EventSource(place.dataset.announcements);
  source.addEventListener("error", () => {
    // A browser gives up after an answer that is no stream, such as that of an office that is away.
    if (source.readyState !== EventSource.CLOSED) return;
    clearTimeout(timer);
    timer = setTimeout(listen, RETRY_MS * (1 + Math.random()));
  });
  source.addEventListener("message", (event) => {
    const { announcements, given_ms, clock_stopped } = JSON.parse(event.data);
    showAnnouncements(announcements);
    const given = `${given_ms} ${clock_stopped}`;
    if (given === place.dataset.given) return;
    place.dataset.given = given;
    document.dispatchEvent(new CustomEvent("time-given"));
  });
}

/** Shows `announcements` alone. What is shown already stays, so that it is read aloud once. */
export function showAnnouncements(announcements) {
  if (!place) return;
  const shown = [...place.querySelectorAll("[data-announcement]")];
  const isSame = ({ id }, index) => id === shown[index]?.dataset.announcement;
  if (announcements.length === shown.length && announcements.every(isSame)) return;
  for (const old of shown) old.remove();
  place.append(...announcements.map(drawn));
}

function drawn({ id, words, expected_until }) {
  const section = place.querySelector("template").content.firstElementChild.cloneNode(true);
  const [, said, until] = section.children;
  section.dataset.announcement = id;
  const tag = language in words ? language : Object.keys(words)[0];
  said.lang = tag;
  said.textContent = words[tag];
  if (expected_until) {
    until.hidden = false;
    until.textContent = untilText(new Date(expected_until));
  }
  return section;
}

function untilText(until) {
  const { textLate, textUntil, timeZone } = place.dataset;
  if (until <= Date.now()) return textLate;
  // English pages write the day before the month.
  const moment = new Intl.DateTimeFormat(language.replace(/^en$/, "en-GB"), {
    weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit",
    hourCycle: "h23", timeZone, timeZoneName: "short",
  });
  return textUntil.replace("{time}", moment.format(until));
}

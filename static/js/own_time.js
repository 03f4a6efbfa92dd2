// Says beside each time what it is where the reader is, if that is another time.
//
// The server writes times in the venue's zone, with the zone's name; that text
// stays. A page is first shown when this has run, so that nothing moves. Text
// pattern: `data-text-own-time` of the body, with `{time}`.

const { textOwnTime: pattern } = document.body.dataset;
// Made for the first time that differs: it takes a slow phone 50 ms, and most readers are where the
// venue is.
let moment = null;

for (const element of document.querySelectorAll("main time[datetime]")) {
  const at = new Date(element.dateTime);
  // Where the clock shows the same, the page says it already.
  if (Number.isNaN(at.getTime()) || element.textContent.includes(clock(at))) continue;
  moment ??= momentFormat();
  const own = document.createElement("span");
  own.className = "own-time";
  own.textContent = pattern.replace("{time}", moment.format(at));
  element.append(" ", own);
}

function clock(at) {
  return [at.getHours(), at.getMinutes()].map((n) => String(n).padStart(2, "0")).join(":");
}

function momentFormat() {
  // English pages write the day before the month.
  const language = document.documentElement.lang.replace(/^en$/, "en-GB");
  return new Intl.DateTimeFormat(language, {
    weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit",
    hourCycle: "h23",
  });
}

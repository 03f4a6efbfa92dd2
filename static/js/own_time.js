// Says beside each time what it is where the reader is, if that is another time.
//
// The server writes times in the venue's zone, with the zone's name; that text
// stays. A page is first shown when this has run, so that nothing moves. Text
// pattern: `data-text-own-time` of the body, with `{time}`.

const { textOwnTime: pattern } = document.body.dataset;
// English pages write the day before the month.
const language = document.documentElement.lang.replace(/^en$/, "en-GB");
const clock = new Intl.DateTimeFormat(language, {
  hour: "2-digit", minute: "2-digit", hourCycle: "h23",
});
const moment = new Intl.DateTimeFormat(language, {
  weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit",
  hourCycle: "h23",
});

for (const element of document.querySelectorAll("main time[datetime]")) {
  const at = new Date(element.dateTime);
  // Where the clock shows the same, the page says it already.
  if (Number.isNaN(at.getTime()) || element.textContent.includes(clock.format(at))) continue;
  const own = document.createElement("span");
  own.className = "own-time";
  own.textContent = pattern.replace("{time}", moment.format(at));
  element.append(" ", own);
}

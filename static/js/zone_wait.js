// Tries again by itself while many people want the same zone (429 `waiting`).
//
// The server keeps this person's place between tries. An answer that is neither
// a success nor another `waiting` is left to the ordinary form, whose page says
// what happened. Without this file the button does the same by hand.

const TRIES_MAX = 10;
const PAUSE_MS_MIN = 2000;
const PAUSE_MS_MAX = 4000;

const box = document.querySelector("[data-zone-wait]");
if (box) retry(box);

async function retry(box) {
  const form = box.querySelector("form");
  const status = box.querySelector("[data-zone-wait-status]");
  const { textNext, textTrying, textGaveUp, textEstimate, textSoon } = box.dataset;
  let retryAfterMs = Number(box.dataset.retryAfterMs) || 0;
  let byHand = false;
  for (const element of box.querySelectorAll("[data-needs-js]")) element.hidden = false;
  for (const element of box.querySelectorAll("[data-without-js]")) element.hidden = true;
  form.addEventListener("submit", () => { byHand = true; });

  for (let tried = 0; tried < TRIES_MAX; tried += 1) {
    status.textContent = textNext;
    const random = PAUSE_MS_MIN + Math.random() * (PAUSE_MS_MAX - PAUSE_MS_MIN);
    const pause = Math.max(random, Math.min(retryAfterMs, PAUSE_MS_MAX));
    await new Promise((done) => setTimeout(done, pause));
    if (byHand) return;

    status.textContent = textTrying;
    let answer, body;
    try {
      answer = await fetch(form.action, {
        method: "POST",
        headers: { Accept: "application/json" },
        body: new URLSearchParams(new FormData(form)),
        signal: AbortSignal.timeout(10_000),
      });
      body = await answer.json();
    } catch {
      continue;
    }
    if (byHand) return;
    if (answer.status === 201) {
      location.assign(`/reservations/${encodeURIComponent(body.reservation_id)}`);
      return;
    }
    // Nobody knows how the last try ended; its key makes the next one harmless.
    if (answer.status === 503 || body.code === "already-processing") continue;
    if (answer.status !== 429 || body.code !== "waiting") {
      form.requestSubmit();
      return;
    }
    retryAfterMs = body.retry_after_ms ?? 0;
    const number = new Intl.NumberFormat(document.documentElement.lang);
    show("[data-zone-wait-all]", number.format(body.waiting_count));
    show("[data-zone-wait-count]", number.format(body.ahead));
    if (body.estimated_wait_seconds != null) {
      const minutes = Math.ceil(body.estimated_wait_seconds / 60);
      const estimate = minutes > 1 ? textEstimate.replace("{minutes}", minutes) : textSoon;
      show("[data-zone-wait-estimate]", estimate);
    }
  }
  status.textContent = textGaveUp;

  function show(selector, text) {
    const target = box.querySelector(selector);
    if (target && target.textContent !== text) target.textContent = text;
  }
}

// Keeps the waiting room up to date and takes the person in when it is their turn.
//
// Polls the page's own address as JSON, as often as the server says. The server
// also learns from these polls who is still there, so a hidden tab goes on asking.
// All texts come from the page; `{name}` in them is a place to fill.

import { showAnnouncements } from "./announcements.js";

const FAILURES_MAX = 60;
const BACKOFF_MS_MIN = 2000;
// With its jitter well within the grace: whoever is silent for longer may be passed over.
const BACKOFF_MS_MAX = 20_000;
const ANNOUNCE_MS_MIN = 20_000;
const SOUND_KEY = "stagedoor.waiting-room-sound";
const FIRST_KEY = "stagedoor.waiting-room-first";

const room = document.querySelector("[data-waiting-room]");
const text = room?.dataset;
const number = new Intl.NumberFormat(document.documentElement.lang);

let timer = 0;
let failures = 0;
let polledAt = Date.now();
let announced = { at: 0, bracket: null };
let audio = null;

if (room) {
  schedule(Number(text.retryAfterMs) || BACKOFF_MS_MIN);
  setUpSound(document.querySelector("[data-sound-toggle]"));
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && Date.now() - polledAt > 1000) schedule(0);
  });
  addEventListener("online", () => schedule(0));
}

function schedule(ms) {
  clearTimeout(timer);
  timer = setTimeout(poll, ms);
}

async function poll() {
  polledAt = Date.now();
  let answer;
  try {
    answer = await fetch(location.pathname, {
      headers: { Accept: "application/json" },
      cache: "no-store",
      signal: AbortSignal.timeout(10_000),
    });
    if (answer.status === 200) {
      const state = await answer.json();
      failures = 0;
      show("offline", false);
      receive(state);
      return;
    }
  } catch {
    answer = null;
  }
  // Logged out, or no place any more: the page itself knows what to say.
  if (answer && [401, 403, 404].includes(answer.status)) {
    location.reload();
    return;
  }
  failures += 1;
  if (failures >= FAILURES_MAX) {
    show("offline", false);
    show("gave-up", true);
    return;
  }
  show("offline", failures >= 2);
  const backoff = Math.min(BACKOFF_MS_MIN * 2 ** (failures - 1), BACKOFF_MS_MAX);
  const asked = Number(answer?.headers.get("Retry-After")) * 1000 || 0;
  schedule(Math.max(asked, backoff * (0.5 + Math.random())));
}

function receive(state) {
  if (state.status === "ACTIVE") {
    enter(state.entry_url);
    return;
  }
  if (state.status !== "WAITING") {
    location.reload();
    return;
  }
  const counting = state.ahead === null;
  if (appears("counting", counting)) say("counting");
  show("line", !counting);
  if (!counting) {
    const behind = Math.max(0, state.waiting - state.ahead - 1);
    fill("ahead", number.format(state.ahead));
    fill("behind", number.format(behind));
    show("next", state.ahead === 0);
    showProgress(state.queue_number, state.ahead);
    document.title = text.textTitle.replace("{ahead}", number.format(state.ahead));
    announce(state.ahead);
  }
  fill("number", number.format(state.queue_number));
  if (state.seats_free != null) {
    fill("seats-free", number.format(state.seats_free));
    show("scarce", !counting && state.ahead > state.seats_free);
  }
  fill("wait", waitText(state));
  if (appears("paused", state.is_paused)) say("paused");
  showAnnouncements(state.announcements ?? []);
  show("wait-unknown", state.estimated_wait_seconds == null && !state.is_paused && !counting);
  show("measured", state.measured_at != null);
  if (state.measured_at != null) {
    fill("measured", text.textMeasured.replace("{time}", timeOfDay(state.measured_at)));
  }
  schedule(state.retry_after_ms ?? BACKOFF_MS_MIN);
}

// As the page itself says it when it is loaded: the measured range, where it is not one minute.
function waitText(state) {
  const seconds = state.estimated_wait_seconds;
  if (seconds == null) return text.textWaitUnknown;
  const longest = state.estimated_wait_to_seconds;
  if (longest < 60) return text.textWaitSoon;
  const from = Math.floor(state.estimated_wait_from_seconds / 60);
  const to = Math.ceil(longest / 60);
  if (longest < 3600 && from > 0 && from < to) {
    return text.textWaitRange.replace("{from}", from).replace("{to}", to);
  }
  if (longest < 3600) return text.textWaitMinutes.replace("{minutes}", to);
  const minutes = Math.ceil(seconds / 60);
  const hours = Math.floor(minutes / 60);
  return text.textWaitHours.replace("{hours}", hours).replace("{minutes}", minutes % 60);
}

function timeOfDay(moment) {
  const options = { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: text.timeZone };
  return new Intl.DateTimeFormat(document.documentElement.lang, options).format(new Date(moment));
}

// Says the place aloud when it changed meaningfully: each place of the last ten,
// each ten of the last hundred, each hundred of the last thousand, and so on.
function announce(ahead) {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, ahead - 1))));
  const bracket = Math.ceil(ahead / step) * step;
  const first = announced.bracket === null;
  const calm = Date.now() - announced.at >= ANNOUNCE_MS_MIN;
  if (bracket === announced.bracket || (!first && !calm && ahead > 0)) return;
  announced = { at: Date.now(), bracket };
  if (!first) fill("say", text.textAnnounce.replace("{ahead}", number.format(ahead)));
}

// Progress is who went in since this browser first asked: those who join behind change nothing.
function showProgress(queueNumber, ahead) {
  const bar = room.querySelector("[data-line-bar]");
  if (!bar) return;
  const key = `${FIRST_KEY}.${bar.dataset.line}`;
  const [number, first] = (recall(key) ?? "").split(" ").map(Number);
  const isKnown = number === queueNumber && first >= ahead;
  if (!isKnown) remember(key, `${queueNumber} ${ahead}`);
  const begin = isKnown ? first : ahead;
  bar.max = Math.max(1, begin);
  bar.value = begin - ahead;
  bar.hidden = begin === 0;
}

function enter(url) {
  document.title = text.textTurnTitle;
  fill("say", text.textTurnTitle);
  chime();
  // Long enough to hear the sound and the words, too short to lose anything.
  if (url) setTimeout(() => location.assign(url), audio ? 900 : 300);
  else setTimeout(() => location.reload(), 300);
}

function fill(name, value) {
  for (const target of room.querySelectorAll(`[data-fill="${name}"]`)) {
    if (target.textContent !== value) target.textContent = value;
  }
}

// Whether it was hidden until now.
function appears(name, on) {
  const wasHidden = room.querySelector(`[data-when="${name}"]`).hidden;
  show(name, on);
  return on && wasHidden;
}

// Says aloud what the page shows under that name.
function say(name) {
  fill("say", room.querySelector(`[data-when="${name}"]`).textContent.trim().replace(/\s+/g, " "));
}

function show(name, on) {
  for (const target of room.querySelectorAll(`[data-when="${name}"]`)) target.hidden = !on;
}

function setUpSound(toggle) {
  if (!toggle) return;
  toggle.hidden = !("AudioContext" in window);
  if (toggle.hidden) return;
  const set = (on) => {
    toggle.setAttribute("aria-pressed", String(on));
    const { textOn, textOff } = toggle.dataset;
    toggle.querySelector("[data-sound-text]").textContent = on ? textOn : textOff;
    remember(SOUND_KEY, on ? "on" : "off");
    if (on) audio ??= new AudioContext();
  };
  set(recall(SOUND_KEY) === "on");
  toggle.addEventListener("click", () => {
    const on = toggle.getAttribute("aria-pressed") !== "true";
    set(on);
    if (on) chime();
    else audio = null;
  });
  // After a reload browsers stay silent until the page was touched once.
  addEventListener("pointerdown", () => audio?.resume(), { once: true });
}

function chime() {
  if (!audio) return;
  audio.resume();
  for (const [index, hz] of [659, 880].entries()) {
    const from = audio.currentTime + index * 0.22;
    const tone = audio.createOscillator();
    const volume = audio.createGain();
    tone.frequency.value = hz;
    volume.gain.setValueAtTime(0, from);
    volume.gain.linearRampToValueAtTime(0.18, from + 0.03);
    volume.gain.exponentialRampToValueAtTime(0.001, from + 0.5);
    tone.connect(volume).connect(audio.destination);
    tone.start(from);
    tone.stop(from + 0.55);
  }
}

// Storage may be refused (private windows); then the choice lasts for this page.
function recall(key) {
  try { return localStorage.getItem(key); } catch { return null; }
}
function remember(key, value) {
  try { localStorage.setItem(key, value); } catch { /* as said above */ }
}

// Scans without leaving the page: the answer of the same form is put in place of the
// last one. Without this file every scan is a page.
//
// A hardware scanner types the code and presses Enter, so the field keeps the focus.
// A camera is used where there is one.

import { qrReader } from "./qr_reader.js";

const door = document.querySelector("[data-door]");
const scan = door.querySelector("[data-door-scan]");
const field = scan.elements.namedItem("code");
const verdict = door.querySelector("[data-door-answer]");
const video = door.querySelector("[data-door-video]");
const camera = door.querySelector("[data-door-camera]");
const noCamera = door.querySelector("[data-door-no-camera]");
const offline = door.querySelector("[data-door-offline]");

const ANSWER_MS_MAX = 8_000;
const LOOK_EVERY_MS = 200;
const WAITING_MAX = 10;
// How long an answer is shown before that of a code that waits takes its place.
const SHOWN_MS_MIN = 1_200;
// The same code in front of the camera is one scan, not ten.
const SAME_CODE_MS = 4_000;

let isBusy = false;
// A scanner does not wait for the answer: what it typed meanwhile is sent after it.
const waiting = [];
let last = { code: "", at: 0 };
// Reads a frame; undefined until a camera was opened.
let read;
let isReading = false;
let looking;

door.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-door-form]")) return;
  event.preventDefault();
  send(event.target);
});

async function send(form) {
  if (isBusy) {
    if (form === scan && waiting.length < WAITING_MAX) waiting.push(field.value);
    if (form === scan) field.value = "";
    return;
  }
  isBusy = true;
  // The last answer is not this one's: it fades until this one is there.
  verdict.setAttribute("aria-busy", "true");
  const body = new URLSearchParams(new FormData(form));
  field.value = "";
  try {
    const answer = await fetch(form.action, {
      method: "POST",
      body,
      headers: { accept: "text/html" },
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
    });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const isDoor = swap(page, "[data-door-answer]") && swap(page, "[data-door-counts]");
    // Logged out, or no longer staff: the page says so itself.
    if (!isDoor) location.reload();
    offline.hidden = true;
    navigator.vibrate?.(page.querySelector(".verdict--in") ? 80 : [120, 80, 120]);
  } catch {
    // What was sent is done once or not at all; scanning again tells which.
    verdict.replaceChildren();
    offline.hidden = false;
  }
  verdict.removeAttribute("aria-busy");
  field.focus({ preventScroll: true });
  if (waiting.length > 0) await new Promise((shown) => setTimeout(shown, SHOWN_MS_MIN));
  isBusy = false;
  const next = waiting.shift();
  if (next) {
    const typed = field.value;
    field.value = next;
    send(scan);
    field.value = typed;
  }
}

function swap(page, selector) {
  const fresh = page.querySelector(selector);
  if (!fresh) return false;
  // The element stays and only its content changes, so that it is announced.
  document.querySelector(selector).replaceChildren(...document.adoptNode(fresh).childNodes);
  return true;
}

camera.hidden = !navigator.mediaDevices;
camera.addEventListener("click", () => (looking ? close() : open()));

async function open() {
  camera.disabled = true;
  try {
    video.srcObject = await navigator.mediaDevices.getUserMedia({
      video: { facingMode: "environment" },
    });
    video.hidden = false;
    await video.play();
    read ??= await qrReader();
    camera.textContent = camera.dataset.textOff;
    noCamera.hidden = true;
    looking = setInterval(look, LOOK_EVERY_MS);
  } catch {
    // Refused, in use, or not there: codes are typed, and another press tries again.
    close();
    noCamera.hidden = false;
  }
  camera.disabled = false;
}

function close() {
  clearInterval(looking);
  looking = undefined;
  for (const track of video.srcObject?.getTracks() ?? []) track.stop();
  video.srcObject = null;
  video.hidden = true;
  camera.textContent = camera.dataset.textOn;
}

async function look() {
  if (isBusy || isReading || document.hidden) return;
  isReading = true;
  const code = await read(video).catch(() => undefined);
  isReading = false;
  if (!code || !looking) return;
  const now = performance.now();
  if (code === last.code && now - last.at < SAME_CODE_MS) {
    last.at = now;
    return;
  }
  last = { code, at: now };
  field.value = code;
  send(scan);
}

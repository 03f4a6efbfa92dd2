// Keeps the screen on while a ticket is in sight: at the door nobody should have to wake it.
//
// The browser gives the lock back when the page is hidden, so it is asked for again when the page
// is seen. Where there is no such lock, or the battery is low, the screen goes dark as ever.

let lock;

async function hold() {
  if (document.visibilityState !== "visible" || (lock && !lock.released)) return;
  try {
    lock = await navigator.wakeLock.request("screen");
  } catch {
    lock = undefined;
  }
}

if ("wakeLock" in navigator && document.querySelector(".ticket__qr")) {
  document.addEventListener("visibilitychange", hold);
  hold();
}

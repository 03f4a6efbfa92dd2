// Keeps parts of a page fresh: an element with `data-live-part` is fetched again every
// `data-live-secs` and its content replaced. A form with `data-continue` goes on by
// itself, a batch at a time. Without this file the page is as fresh as its reload.

const CONTINUE_AFTER_MS = 300;

for (const part of document.querySelectorAll("[data-live-part]")) {
  setInterval(() => refresh(part), Number(part.dataset.liveSecs) * 1_000);
}

async function refresh(part) {
  if (document.hidden) return;
  try {
    const answer = await fetch(location.href, { headers: { accept: "text/html" } });
    if (!answer.ok || answer.redirected) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.querySelector(`[data-live-part="${part.dataset.livePart}"]`);
    if (fresh) part.replaceChildren(...document.adoptNode(fresh).childNodes);
  } catch {
    // The next time may succeed; what is shown says when it was read.
  }
}

const next = document.querySelector("form[data-continue]");
if (next) setTimeout(() => next.requestSubmit(), CONTINUE_AFTER_MS);

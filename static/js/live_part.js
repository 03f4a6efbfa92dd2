// Keeps parts of a page fresh: an element with `data-live-part` is fetched again every
// `data-live-secs` and its content replaced. Without this file the page is as fresh as
// its reload.

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

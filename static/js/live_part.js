// Keeps parts of a page fresh: an element with `data-live-part` and `data-live-secs` is
// fetched again every so many seconds, and its content replaced where that has changed,
// until the fresh one says no seconds. What was opened stays open. Where the page has no such
// part any more, or leads elsewhere than to the log-in, it is loaded again as the other page
// that it is by now. Without this file the page is as fresh as its reload.

for (const part of document.querySelectorAll("[data-live-part][data-live-secs]")) {
  const timer = setInterval(() => refresh(part, timer), Number(part.dataset.liveSecs) * 1_000);
}

async function refresh(part, timer) {
  if (document.hidden) return;
  try {
    const answer = await fetch(location.href, { headers: { accept: "text/html" } });
    if (!answer.ok) return;
    if (answer.redirected) {
      if (new URL(answer.url).pathname !== "/login") location.reload();
      return;
    }
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.querySelector(`[data-live-part="${part.dataset.livePart}"]`);
    if (!fresh) {
      location.reload();
      return;
    }
    if (fresh.dataset.liveSecs === undefined) clearInterval(timer);
    for (const opened of part.querySelectorAll("details[id][open]")) {
      fresh.querySelector(`#${opened.id}`)?.setAttribute("open", "");
    }
    // What is the same stays: a reader would say it again, and a focus would be lost.
    if (fresh.isEqualNode(part)) return;
    part.replaceChildren(...document.adoptNode(fresh).childNodes);
  } catch {
    // The next time may succeed; what is shown says when it was read.
  }
}

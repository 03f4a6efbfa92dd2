// Passes the address of a link on: with the device's own dialogue, or by copying it.
//
// <a href="https://…" data-share data-share-title="…" data-share-done="Link copied">
//   <span role="status">…</span></a>
//
// Without scripts, and where neither is possible, the link leads to what it names.

const SAID_MS = 3_000;

for (const link of document.querySelectorAll("[data-share]")) {
  link.addEventListener("click", (event) => {
    if (!navigator.share && !navigator.clipboard) return;
    event.preventDefault();
    pass(link);
  });
}

async function pass(link) {
  const { shareTitle: title, shareDone } = link.dataset;
  try {
    if (navigator.share) {
      await navigator.share({ title, url: link.href });
      return;
    }
    await navigator.clipboard.writeText(link.href);
    say(link, shareDone);
  } catch (error) {
    // Whoever closes the dialogue wants nothing more; anything else leads to the page itself.
    if (error.name !== "AbortError") location.assign(link.href);
  }
}

function say(link, words) {
  const label = link.querySelector("span");
  if (link.dataset.said !== undefined) return;
  const before = label.textContent;
  link.dataset.said = "";
  label.textContent = words;
  setTimeout(() => {
    label.textContent = before;
    delete link.dataset.said;
  }, SAID_MS);
}

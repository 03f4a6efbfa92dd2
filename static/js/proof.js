// Works out the number that joining asks for, in a worker, and joins with it.
//
// Where that fails the page is as without scripts: its second form waits instead.

const form = document.querySelector("[data-proof]");

if (form && window.Worker) {
  const worker = new Worker(form.dataset.worker, { type: "module" });
  const bar = form.querySelector("[data-proof-bar]");
  const working = form.querySelector("[data-proof-working]");
  const manual = document.querySelector("[data-proof-manual]");
  const show = (isWorking) => {
    working.hidden = !isWorking;
    manual.hidden = isWorking;
  };

  worker.addEventListener("message", ({ data }) => {
    bar.value = Math.min(data.tries / 2 ** Number(form.dataset.difficulty), 0.95);
    if (data.nonce === undefined) return;
    worker.terminate();
    bar.value = 1;
    form.elements.nonce.value = data.nonce;
    form.requestSubmit();
  });
  worker.addEventListener("error", () => {
    worker.terminate();
    show(false);
    const { refreshSecs } = form.dataset;
    if (refreshSecs) setTimeout(() => location.reload(), refreshSecs * 1000);
  });
  // What was worked out is good for one join: a page from the cache starts anew.
  addEventListener("pageshow", (event) => {
    if (event.persisted) location.reload();
  });
  show(true);
  worker.postMessage({ seed: form.dataset.seed, difficulty: Number(form.dataset.difficulty) });
}

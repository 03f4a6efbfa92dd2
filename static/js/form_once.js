// Shows that a form is on its way and ignores further presses until it has answered.
//
// Only for the eye: the request key makes a repeated request harmless. Fields stay
// enabled, because disabled ones would not be sent.

const BUSY_MS_MAX = 15_000;

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post" || event.defaultPrevented) return;
  if (form.dataset.busy !== undefined) {
    event.preventDefault();
    return;
  }
  form.dataset.busy = "";
  const pressed = event.submitter;
  if (pressed) {
    pressed.dataset.pressed = "";
    pressed.setAttribute("aria-disabled", "true");
  }
  // An answer that never comes must not leave a dead button behind.
  setTimeout(() => release(form), BUSY_MS_MAX);
});

// Back from the next page: the browser may show this one exactly as it was left.
addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-busy]")) release(form);
});

function release(form) {
  delete form.dataset.busy;
  for (const button of form.querySelectorAll("[data-pressed]")) {
    delete button.dataset.pressed;
    button.removeAttribute("aria-disabled");
  }
}

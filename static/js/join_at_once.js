// Joins the line at once: the person pressed the button before the log-in.

document.querySelector("[data-join-at-once]").requestSubmit();

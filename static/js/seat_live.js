// Brings the changes of an open seat map: by event stream, else by polling.
//
// `address` is /schedules/{id}/changes. Every answer carries the cursor the next
// question starts from; repeats are allowed, so asking again loses nothing.

const STREAM_FAILURES_MAX = 2;
const POLL_MS = 3000;
const POLL_MS_MAX = 30_000;

/** Calls `apply` with each `{seats, zones}`, and `state` with whether the map is live. */
export function follow(address, cursor, apply, state) {
  let since = cursor;
  let failures = 0;
  const question = () => `${address}?since=${encodeURIComponent(since)}`;
  const take = (changes) => {
    since = changes.cursor ?? since;
    failures = 0;
    state(true);
    apply(changes);
  };

  // A page brought back by the Back button is as old as when it was left.
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

  if ("EventSource" in window) stream();
  else poll();

  function stream() {
    const source = new EventSource(question());
    source.addEventListener("open", () => state(true));
    source.addEventListener("message", (event) => take(JSON.parse(event.data)));
    source.addEventListener("error", () => {
      // Opened anew rather than left to reconnect: the address holds an old cursor.
      source.close();
      failures += 1;
      if (failures > STREAM_FAILURES_MAX) poll();
      else setTimeout(stream, 1000 * (1 + Math.random()));
    });
    addEventListener("pagehide", () => source.close(), { once: true });
  }

  async function poll() {
    try {
      const answer = await fetch(question(), {
        headers: { Accept: "application/json" },
        signal: AbortSignal.timeout(10_000),
      });
      if (answer.status === 403) {
        // The stay has ended; the next step on the page says so and leads back.
        state(false);
        return;
      }
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      take(await answer.json());
    } catch {
      failures += 1;
      state(false);
    }
    const pause = Math.min(POLL_MS * 2 ** Math.min(failures, 4), POLL_MS_MAX);
    setTimeout(poll, document.hidden ? POLL_MS_MAX : pause * (0.8 + Math.random() * 0.4));
  }
}

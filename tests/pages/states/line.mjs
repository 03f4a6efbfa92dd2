// The waiting room: joining, waiting, being drawn and having left.

import { enter } from "./cast.mjs";

/** Pages of the line, with somebody inside a show for one and somebody waiting. */
export async function line({ mina, jun, nora }) {
  await enter(jun, "small-opening");
  await mina.ask("POST", "/programs/small-opening/queue", {});
  await nora.ask("POST", "/programs/small-opening/queue", {});
  await nora.ask("DELETE", "/programs/small-opening/queue");
  await jun.ask("POST", "/programs/drawn-opening/queue", {});
  const small = "/programs/small-opening/queue";
  const at = (name, person, path) => ({ name, person, path });
  return [
    at("line-join", nora, `${small}/new`),
    at("line-waiting", mina, small),
    at("line-show-waiting", mina, "/programs/small-opening"),
    at("line-inside", jun, "/programs/small-opening"),
    at("line-left", nora, small),
    at("line-receipt", mina, `${small}/receipt`),
    at("line-proof-asked", nora, "/programs/guarded-opening/queue/new"),
    at("line-proof", nora, "/programs/guarded-opening/queue/proof"),
    at("line-draw-entered", jun, "/programs/drawn-opening/queue"),
    at("line-draw-entry", jun, "/programs/drawn-opening/draw/entry"),
  ];
}

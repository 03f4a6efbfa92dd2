// An office whose database is away.

import { readFileSync } from "node:fs";
import { join } from "node:path";

function stopDatabase(stack) {
  try {
    const [pid] = readFileSync(join(stack, "postgres", "postmaster.pid"), "utf8").split("\n");
    process.kill(Number(pid), "SIGINT");
  } catch (error) {
    // Of another language before this one.
    if (!["ENOENT", "ESRCH"].includes(error.code)) throw error;
  }
}

/** The page that says so; STACK is the folder of the throw-away servers. */
export function away(stack) {
  return {
    name: "error-away",
    path: "/programs/night-on-the-han/log",
    status: 503,
    ready: () => stopDatabase(stack),
  };
}

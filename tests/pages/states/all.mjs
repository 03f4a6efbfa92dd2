// Every page that is photographed, with the states of an office that are worth a look.

import { admin } from "./admin.mjs";
import { away } from "./away.mjs";
import { buying } from "./buying.mjs";
import { makeCast } from "./cast.mjs";
import { door } from "./door.mjs";
import { line } from "./line.mjs";
import { own } from "./own.mjs";
import { security } from "./security.mjs";
import { visitors } from "./visitors.mjs";

/** Makes the states; returns `{ name, path, person, ready, send, from, status, language }` of each page. */
export async function makeStates(base, stack) {
  const cast = await makeCast(base);
  const pages = [];
  for (const part of [visitors, line, buying, own, door, security, admin])
    pages.push(...(await part(cast)));
  // The last one, as nothing works afterwards.
  return [...pages, away(stack)];
}

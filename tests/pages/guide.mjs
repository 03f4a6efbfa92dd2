// The pictures of docs/FIRST-SHOW.md.

import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { features } from "./camera.mjs";

/** Where they belong. */
export const GUIDE_FOLDER = "docs/pictures";

const BYTES_MAX = 60_000;
const ALL_BYTES_MAX = 400_000;
const QUALITY = 75;
// A wide page is drawn smaller, as wide as the text of the guide.
const WIDE = { width: 1_280, height: 800, deviceScaleFactor: 0.625 };
const PHONE = { width: 390, height: 880, deviceScaleFactor: 0.8 };

const PICTURES = [
  ["venue", "admin-venue-preview", WIDE],
  ["show", "admin-program-draft", WIDE],
  ["prices", "admin-schedule", WIDE],
  ["opening", "show-coming", PHONE],
  ["line", "admin-queue", WIDE],
  ["sales", "admin-sales", WIDE],
  ["door", "door-admitted", PHONE],
];

/** Takes each of them; returns 1, and says what, if a page is not as it should be. */
export async function takeGuide(camera, entries) {
  mkdirSync(camera.folder, { recursive: true });
  const faults = [];
  let n_bytes = 0;
  for (const [name, of, viewport] of PICTURES) {
    const entry = entries.find((each) => each.name === of);
    const path = join(camera.folder, `${name}.webp`);
    await camera.visit(entry, "en", faults, async (page) => {
      await page.setViewport(viewport);
      await page.emulateMediaFeatures(features("light"));
      await page.screenshot({ path, type: "webp", quality: QUALITY });
    });
    const { size } = statSync(path);
    console.log(`${path}: ${size} bytes`);
    if (size > BYTES_MAX) faults.push(`${path} has more than ${BYTES_MAX} bytes`);
    n_bytes += size;
  }
  if (n_bytes > ALL_BYTES_MAX) faults.push(`all have more than ${ALL_BYTES_MAX} bytes`);
  for (const fault of faults) console.log(`  ${fault}`);
  return faults.length === 0 ? 0 : 1;
}

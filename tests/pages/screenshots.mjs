// Photographs every page of an office, and writes one contact sheet.
//
//     node screenshots.mjs BASE STACK TARGET [FOLDER] [OPTION]...
//
// STACK is the folder of the office's servers: the last page is that of an office whose database is
// away. Without FOLDER the photos go to TARGET/screenshots. Ends with 1 if anything is wrong with a
// page, and lists it.

import { join } from "node:path";
import { parse } from "./arguments.mjs";
import { Camera, openBrowser } from "./camera.mjs";
import { GUIDE_FOLDER, takeGuide } from "./guide.mjs";
import { writeSheet } from "./sheet.mjs";
import { makeStates } from "./states/all.mjs";

const PAGES_MAX = 300;

function chosen(entries, { pages }) {
  const found = entries.filter(({ name }) => !pages || pages.some((word) => name.startsWith(word)));
  if (found.length === 0) {
    throw new Error(
      `No page is called so; there are ${entries.map(({ name }) => name).join(", ")}.`,
    );
  }
  if (found.length > PAGES_MAX) throw new Error(`There are more than ${PAGES_MAX} pages.`);
  return found;
}

async function photographAll(camera, entries, { languages }) {
  const results = [];
  for (const entry of entries) {
    const result = { entry, photos: [], faults: [] };
    for (const language of languages) {
      // A browser that ended takes no other page with it.
      if (!camera.browser.connected) camera.browser = await openBrowser();
      try {
        const { photos, faults } = await camera.photograph(entry, language);
        result.photos.push(...photos);
        result.faults.push(...faults);
      } catch (error) {
        result.faults.push(`could not be photographed in ${language}: ${error.message}`);
      }
    }
    console.log(`${entry.name}: ${result.photos.length} photos`);
    for (const fault of result.faults) console.log(`  ${entry.name}: ${fault}`);
    results.push(result);
  }
  return results;
}

async function main([base, stack, target, ...words]) {
  const choice = parse(words);
  const folder = choice.folder ?? (choice.isGuide ? GUIDE_FOLDER : join(target, "screenshots"));
  const camera = new Camera(await openBrowser(), base, folder, choice);
  try {
    const entries = await makeStates(base, stack);
    if (choice.isGuide) return await takeGuide(camera, entries);
    const picked = chosen(entries, choice);
    const results = await photographAll(camera, picked, choice);
    await writeSheet(camera.browser, folder, results);
    const n_faults = results.reduce((sum, { faults }) => sum + faults.length, 0);
    const n_photos = results.reduce((sum, { photos }) => sum + photos.length, 0);
    console.log(`${results.length} pages, ${n_photos} photos, ${n_faults} faults`);
    console.log(join(folder, "index.html"));
    return n_faults === 0 ? 0 : 1;
  } finally {
    await camera.browser.close();
  }
}

process.exitCode = await main(process.argv.slice(2));

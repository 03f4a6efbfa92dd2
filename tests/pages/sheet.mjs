// The contact sheet: one HTML file with the photos by page, and of each page one picture.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const STYLE = `
  body { margin: 1rem; font: 14px/1.4 system-ui, sans-serif; background: #777; color: #fff; }
  section { padding: 0.5rem; }
  h2 { margin: 0.5rem 0; }
  .photos { display: flex; flex-wrap: wrap; gap: 8px; align-items: flex-start; }
  figure { margin: 0; }
  img { display: block; max-height: 700px; object-fit: cover; object-position: top; }
  li { color: #fdd; }`;
// Of a photo's own pixels; a sheet is as wide as a window.
const SCALE = 0.45;
const SHEET_WIDTH = 1_900;

const escape = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

function figure({ file, width, scheme, language }) {
  const caption = `${width} ${scheme} ${language}`;
  const picture = `<img src="${file}" width="${Math.round(width * SCALE)}" alt="${caption}">`;
  return `<figure><a href="${file}">${picture}</a><figcaption>${caption}</figcaption></figure>`;
}

function section({ entry, photos, faults }) {
  const wrong = faults.map((fault) => `<li>${escape(fault)}</li>`).join("");
  return (
    `<section id="${entry.name}"><h2>${entry.name} <small>${escape(entry.path)}</small></h2>` +
    `<ul>${wrong}</ul><div class="photos">${photos.map(figure).join("\n")}</div></section>`
  );
}

/** Writes index.html, and a picture of each page's section into sheets/. */
export async function writeSheet(browser, folder, results) {
  const file = join(folder, "index.html");
  mkdirSync(join(folder, "sheets"), { recursive: true });
  const list = results.map(({ entry: { name } }) => `<a href="#${name}">${name}</a>`).join(" · ");
  writeFileSync(
    file,
    `<!doctype html><meta charset="utf-8"><title>Pages</title><style>${STYLE}</style>` +
      `<h1>${results.length} pages</h1><p>${list}</p>${results.map(section).join("\n")}\n`,
  );
  const page = await browser.newPage();
  await page.setViewport({ width: SHEET_WIDTH, height: 1_000 });
  await page.goto(pathToFileURL(file).href);
  for (const { entry } of results) {
    const found = await page.$(`section[id="${entry.name}"]`);
    await found.screenshot({ path: join(folder, "sheets", `${entry.name}.png`) });
  }
  await page.close();
}

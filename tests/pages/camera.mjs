// Visits a page in Chromium and photographs it: at every width and scheme, after one load for each
// language. Says what is wrong with it: the answer's status, a language that is not the one asked
// for, a page wider than the window, a script's error, and what axe-core finds.

import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import puppeteer from "puppeteer-core";

const WAIT_MS_MAX = 20_000;
// Time for fonts and for scripts that draw once the page is loaded.
const SETTLE_MS = 250;
const RESIZE_MS = 60;
const HEIGHT = 900;
const PHOTO_HEIGHT_MAX = 6_000;
const QUALITY = 60;
// axe looks at the page of a phone where there is one.
const AXE_WIDTH = 390;
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const pause = (ms) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

/** Opens the browser at `CHROME_PATH`. */
export function openBrowser() {
  return puppeteer.launch({
    executablePath: process.env.CHROME_PATH,
    protocolTimeout: 3 * WAIT_MS_MAX,
    args: ["--no-sandbox", "--disable-gpu", "--hide-scrollbars"],
  });
}

/** Whoever looks at the pages of an office. */
export class Camera {
  constructor(browser, base, folder, choice) {
    Object.assign(this, { browser, base, folder, choice });
  }

  /** Photographs a page in a language; returns its photos, and what is wrong with it. */
  async photograph(entry, language) {
    const faults = [];
    const photos = await this.visit(entry, language, faults, (page) => {
      return this.#photos(page, entry, language, faults);
    });
    return { photos, faults };
  }

  /** Returns what `look` does of a page that is open meanwhile, as whoever has it sees it. */
  async visit(entry, language, faults, look) {
    const context = await this.browser.createBrowserContext();
    try {
      const page = await context.newPage();
      page.setDefaultTimeout(WAIT_MS_MAX);
      page.on("pageerror", (error) => faults.push(`a script failed: ${error.message}`));
      await this.#open(page, context, entry, language, faults);
      return await look(page);
    } finally {
      await context.close();
    }
  }

  async #open(page, context, entry, language, faults) {
    await entry.ready?.();
    const cookies = new Map([...(entry.person?.cookies ?? []), ["locale", language]]);
    await context.setCookie(
      ...[...cookies].map(([name, value]) => {
        return { name, value, domain: new URL(this.base).hostname, path: "/" };
      }),
    );
    if (this.choice.timeZone) await page.emulateTimezone(this.choice.timeZone);
    // axe-core is a script, and a page that says of itself that it runs none would not let it.
    await page.setBypassCSP(entry.isSandboxed === true);
    await page.setViewport({ width: this.choice.widths[0], height: HEIGHT });
    await page.emulateMediaFeatures(features("light"));
    const answer = await this.#answer(page, entry);
    await page.evaluate(() => document.fonts.ready.then(() => null));
    await pause(SETTLE_MS);
    const wanted = entry.status ?? 200;
    if (answer.status() !== wanted) faults.push(`answered ${answer.status()}, not ${wanted}`);
    const shown = await page.evaluate(() => document.documentElement.lang);
    const spoken = entry.language ?? language;
    if (shown !== spoken) faults.push(`is in ${shown}, not ${spoken}`);
  }

  async #answer(page, entry) {
    if (!entry.send) return page.goto(this.base + entry.path);
    await page.goto(this.base + (entry.from ?? entry.path));
    const [answer] = await Promise.all([
      page.waitForNavigation(),
      page.evaluate(submit, entry.path, Object.entries(entry.send)),
    ]);
    return answer;
  }

  async #photos(page, entry, language, faults) {
    const photos = [];
    const { widths, schemes, languages } = this.choice;
    const checked = widths.includes(AXE_WIDTH) ? AXE_WIDTH : widths[0];
    for (const width of widths) {
      await page.setViewport({ width, height: HEIGHT });
      await pause(RESIZE_MS);
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (over > 0) faults.push(`is ${over} px wider than ${width} px in ${language}`);
      for (const scheme of schemes) {
        await page.emulateMediaFeatures(features(scheme));
        if (width === checked && language === languages[0]) {
          faults.push(...(await violations(page)).map((each) => `${each} (${scheme})`));
        }
        photos.push(await this.#photo(page, entry, { width, scheme, language }));
      }
    }
    return photos;
  }

  async #photo(page, entry, photo) {
    const { width, scheme, language } = photo;
    const file = join(entry.name, `${language}-${width}-${scheme}.webp`);
    mkdirSync(join(this.folder, entry.name), { recursive: true });
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    const clip = {
      x: 0,
      y: 0,
      width,
      height: Math.min(Math.max(height, HEIGHT), PHOTO_HEIGHT_MAX),
    };
    const path = join(this.folder, file);
    await page.screenshot({
      path,
      type: "webp",
      quality: QUALITY,
      clip,
      captureBeyondViewport: true,
    });
    return { ...photo, file };
  }
}

/** Returns what makes a page appear in a scheme, and stand still. */
export function features(scheme) {
  return [
    { name: "prefers-color-scheme", value: scheme },
    { name: "prefers-reduced-motion", value: "reduce" },
  ];
}

// Runs in the page: sends a form as a browser does, whatever the page's own fields would allow.
function submit(action, fields) {
  const form = Object.assign(document.createElement("form"), { action, method: "post" });
  for (const [name, values] of fields) {
    for (const value of [values].flat()) {
      form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
    }
  }
  document.body.append(form);
  form.submit();
}

async function violations(page) {
  await page.evaluate(AXE);
  const found = await page.evaluate(async () =>
    (await globalThis.axe.run()).violations.map(({ id, help, nodes }) => ({
      id,
      help,
      where: nodes.map(({ target }) => target.join(" ")),
    })),
  );
  return found.map(({ id, help, where }) => `axe: ${id}: ${help}: ${where.slice(0, 3).join(", ")}`);
}

// Which pages, widths, schemes and languages are photographed.

/** All of them, as far as no argument picks some. */
export const ALL = {
  widths: [320, 390, 768, 1280, 1920],
  schemes: ["light", "dark"],
  languages: ["en", "ko", "ja"],
};
// The guide shows no second clock: whoever reads it is where the shows are.
const GUIDE = { isGuide: true, timeZone: "Asia/Seoul" };
const USAGE =
  "Usage: scripts/screenshots [FOLDER] [--pages map,line] [--widths 390,1280] " +
  "[--schemes dark] [--languages ko] [--guide]";

/** Reads `FOLDER` and the options; `pages` is `null` where all are meant. */
export function parse(words) {
  const choice = { ...ALL, pages: null, folder: null, isGuide: false, timeZone: null };
  for (let rest = [...words]; rest.length > 0;) {
    const word = rest.shift();
    if (word === "--guide") Object.assign(choice, GUIDE);
    else if (word.startsWith("--")) choose(choice, word.slice(2), rest.shift());
    else if (choice.folder === null) choice.folder = word;
    else throw new Error(USAGE);
  }
  return choice;
}

function choose(choice, name, list) {
  const values = list?.split(",").map((value) => (name === "widths" ? Number(value) : value));
  const isKnown = name === "pages" || values?.every((value) => ALL[name]?.includes(value));
  if (!values || !isKnown) throw new Error(USAGE);
  choice[name] = values;
}

#!/usr/bin/env bash
# A show begins on "Tuesday evening" for two of six readers of its page, and for three others its doors never open.
#
# Tried: web-auto-extractor 1.0.17, @marbec/web-auto-extractor 2.2.1, microdata-node 2.0.0 and
# microdata-rdf-streaming-parser 3.0.0, from npm, on Node.js 20; extruct 0.18.0 and microdata 0.8.0, from PyPI, on
# Python 3.
# Input: a schema.org event in microdata with its beginning as <time datetime="2026-12-01T19:30+09:00">Tuesday
# evening</time>, the opening of its doors as <time>2026-12-01T19:00+09:00</time>, its end as a <meta> and its price as
# <data value="61000">61,000 won</data>.
# Expected: three times and 61000. The value of a time element is its attribute datetime, or its text where it has none,
# and the value of a data element is its attribute value (HTML, 4.5.14 and 5.2.4).
# Seen: microdata-rdf-streaming-parser alone has all four. Both extractors have the words of the beginning and of the
# price, and the first shows words in an example without a remark; extruct, microdata and microdata-node have an empty
# text for the doors, and microdata has the words of the price. All six have what stands in a <meta>. No error comes.
#
# What follows: on the page of a show each time has the attribute or is a <meta>, and prices are <meta>, so that four of
# the six read all of it. A program that reads pages by one of the extractors takes the beginning from the page as JSON.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check extruct==0.18.0 microdata==0.8.0
npm init -y >/dev/null
npm install --silent --no-audit --no-fund web-auto-extractor@1.0.17 @marbec/web-auto-extractor@2.2.1 \
  microdata-node@2.0.0 microdata-rdf-streaming-parser@3.0.0
cat >show.html <<'END'
<div itemscope itemtype="https://schema.org/Event">
  <time itemprop="startDate" datetime="2026-12-01T19:30+09:00">Tuesday evening</time>
  <time itemprop="doorTime">2026-12-01T19:00+09:00</time>
  <meta itemprop="endDate" content="2026-12-01T21:30+09:00">
  <data itemprop="price" value="61000">61,000 won</data>
</div>
END
cat >read.js <<'END'
const html = require("node:fs").readFileSync("show.html", "utf8");
const { default: extractor } = require("web-auto-extractor");
const { default: Extractor } = require("@marbec/web-auto-extractor");
const { toJson } = require("microdata-node");
const { MicrodataRdfParser } = require("microdata-rdf-streaming-parser");
const told = (name, event) =>
  console.log(`${name}:`, ["startDate", "doorTime", "endDate", "price"].map((each) => event[each] || "-").join(" | "));
told("web-auto-extractor", extractor().parse(html).microdata.Event[0]);
told("@marbec/web-auto-extractor", new Extractor().parse(html).microdata.Event[0]);
const [{ properties }] = toJson(html, { base: "https://tickets.example/" }).items;
told("microdata-node", Object.fromEntries(Object.entries(properties).map(([name, [value]]) => [name, value])));
const event = {};
const parser = new MicrodataRdfParser({ baseIRI: "https://tickets.example/" });
parser.on("data", ({ predicate, object }) => (event[predicate.value.split("/").pop()] = object.value));
parser.on("end", () => told("microdata-rdf-streaming-parser", event));
parser.end(html);
END
cat >read.py <<'END'
import extruct
import microdata


def told(name, event):
    print(f"{name}:", " | ".join(event[each] or "-" for each in ("startDate", "doorTime", "endDate", "price")))


with open("show.html") as file:
    html = file.read()
told("extruct", extruct.extract(html, syntaxes=["microdata"])["microdata"][0]["properties"])
told("microdata", {name: values[0] for name, values in microdata.get_items(html)[0].props.items()})
END
seen=$(node read.js && venv/bin/python read.py)
printf '%s\n' "$seen"
[[ $seen == "web-auto-extractor: Tuesday evening | 2026-12-01T19:00+09:00 | 2026-12-01T21:30+09:00 | 61,000 won
@marbec/web-auto-extractor: Tuesday evening | 2026-12-01T19:00+09:00 | 2026-12-01T21:30+09:00 | 61,000 won
microdata-node: 2026-12-01T19:30+09:00 | - | 2026-12-01T21:30+09:00 | 61000
microdata-rdf-streaming-parser: 2026-12-01T19:30+09:00 | 2026-12-01T19:00+09:00 | 2026-12-01T21:30+09:00 | 61000
extruct: 2026-12-01T19:30+09:00 | - | 2026-12-01T21:30+09:00 | 61000
microdata: 2026-12-01T19:30+09:00 | - | 2026-12-01T21:30+09:00 | 61,000 won" ]] || {
  echo "The behaviour has changed." >&2
  exit 1
}

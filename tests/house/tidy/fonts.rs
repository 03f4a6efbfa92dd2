//! The fonts of pages have the letters of our texts.

use std::ops::RangeInclusive;

use super::{expect_none, source::read};

const HANGUL: RangeInclusive<char> = '가'..='힣';
const KANA: RangeInclusive<char> = 'ぁ'..='ヿ';

/// Characters that the faces of `style` whose file begins with `name` are fetched for.
fn covered(style: &str, name: &str) -> Vec<RangeInclusive<u32>> {
    let faces = read(style).text;
    let start = format!("url(\"../fonts/{name}-");
    let face = faces.split("@font-face").find(|face| face.contains(&start)).unwrap();
    let ranges = face.split_once("unicode-range: ").unwrap().1.split_once(';').unwrap().0;
    let parsed = ranges.split(", ").map(|range| {
        let range = range.strip_prefix("U+").unwrap();
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let parse = |digits| u32::from_str_radix(digits, 16).unwrap();
        parse(first)..=parse(last)
    });
    parsed.collect()
}

/// Letters of `alphabet` in the file `texts` that are not `covered`.
fn lacks(texts: &str, alphabet: &RangeInclusive<char>, covered: &[RangeInclusive<u32>]) -> String {
    let texts = read(texts).text;
    let has = |letter: char| covered.iter().any(|range| range.contains(&u32::from(letter)));
    texts.chars().filter(|letter| alphabet.contains(letter) && !has(*letter)).collect()
}

#[test]
fn the_letters_of_our_texts_are_in_the_fonts_of_their_language() {
    let hangul = covered("static/css/hangul.css", "hangul-texts");
    let kana = covered("static/css/kana.css", "kana");
    let missing = [
        ("locales/ko.ftl", lacks("locales/ko.ftl", &HANGUL, &hangul)),
        ("locales/ja.ftl", lacks("locales/ja.ftl", &KANA, &kana)),
    ];
    let missing: Vec<String> = missing
        .iter()
        .filter(|(_, letters)| !letters.is_empty())
        .map(|(texts, letters)| format!("{texts}: {letters}"))
        .collect();
    expect_none(&missing, "scripts/page-fonts adds letters that are new in our texts");
}

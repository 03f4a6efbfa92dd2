//! Every text stands in every language, is used, and is there where it is used.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    expect_none, problems,
    source::{below, read},
};

/// Acts of staff, which the messages `admin-act-…` name.
const ACTS: &str = "src/audit/model.rs";

/// Words that are not said to people, by language, with what docs/WORDS.md says instead.
const NOT_SAID: [(&str, &[(&str, &str)]); 3] = [
    (
        "en",
        &[
            ("e-mail", "email"),
            ("program", "show"),
            ("charge your wallet", "add points: to charge is to take money"),
            ("hold these", "reserve"),
            ("withheld", "set aside"),
            ("void", "cancelled, refunded or no longer valid"),
            ("give back", "release seats"),
            ("page anew", "reload the page"),
        ],
    ),
    (
        "ko",
        &[
            ("습니다", "해요체"),
            ("습니까", "해요체"),
            ("십시오", "해요체"),
            ("지갑", "포인트, as in the menu"),
            ("빠져나가", "차감: of points"),
            ("반납", "선택 취소"),
            ("대기열 입장", "예매하기: 입장 is being let in"),
            ("$구역", "nothing: the name of a section says what it is"),
            ("을(를)", "a text in which no particle follows the argument"),
            ("은(는)", "a text in which no particle follows the argument"),
            ("이(가)", "a text in which no particle follows the argument"),
            ("(으)로", "a text in which no particle follows the argument"),
        ],
    ),
    (
        "ja",
        &[
            ("だ。", "です・ます"),
            ("である", "です・ます"),
            ("下さい", "ください"),
            ("チャージ", "ポイントを追加"),
            ("ホールド", "確保"),
            ("ユーザー", "会員"),
            ("無効", "キャンセル済み or 使えません"),
        ],
    ),
];

/// The tags of the languages beside English, by their files.
fn translations() -> Vec<String> {
    let paths = below("locales", &[".ftl"]).into_iter().map(|file| file.path);
    let tag = |path: &String| path.rsplit('/').next().unwrap().trim_end_matches(".ftl").to_owned();
    paths.map(|path| tag(&path)).filter(|tag| tag != "en").collect()
}

/// Keys with the arguments their texts name, in the order of the file.
fn texts(language: &str) -> Vec<(String, BTreeSet<String>)> {
    let file = read(&format!("locales/{language}.ftl"));
    let mut texts: Vec<(String, BTreeSet<String>)> = Vec::new();
    for line in file.text.lines().filter(|line| !line.starts_with('#')) {
        let key = line.split_once(" =").map(|(key, _)| key).filter(|key| is_key(key));
        if let Some(key) = key {
            texts.push((key.to_owned(), BTreeSet::new()));
        }
        let arguments = line.split('$').skip(1).map(|rest| {
            rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect()
        });
        if let Some((_, of_text)) = texts.last_mut() {
            of_text.extend(arguments);
        }
    }
    texts
}

fn keys() -> BTreeSet<String> {
    texts("en").into_iter().map(|(key, _)| key).collect()
}

fn is_key(text: &str) -> bool {
    text.contains('-')
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
        && !text.contains("--")
        && !text.ends_with('-')
}

/// Codes of refusals, from the rows of the errors' tables.
fn codes() -> BTreeSet<String> {
    problems::rows().into_iter().map(|(code, _)| code).collect()
}

/// The names of the acts in the log: `CheckedIn` is `checked-in`.
fn acts() -> Vec<String> {
    let model = read(ACTS).text;
    let (_, variants) = model.split_once("enum Act {\n").unwrap();
    let (variants, _) = variants.split_once("\n}\n").unwrap();
    let variants = variants.lines().filter_map(|line| line.trim().strip_suffix(','));
    let name = |variant: &str| {
        variant.chars().fold(String::new(), |name, letter| match letter.is_ascii_uppercase() {
            true if name.is_empty() => letter.to_lowercase().collect(),
            true => format!("{name}-{}", letter.to_ascii_lowercase()),
            false => format!("{name}{letter}"),
        })
    };
    variants.map(name).collect()
}

/// Literals of the code and of the tags of templates, with where they stand.
fn literals() -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for source in below("src", &[".rs"]) {
        for (number, literal) in source.literals() {
            found.insert(literal.to_owned(), format!("{}:{number}", source.path));
        }
    }
    found.extend(acts().into_iter().map(|act| (format!("admin-act-{act}"), ACTS.to_owned())));
    for template in below("templates", &[".html"]) {
        for tag in template.text.split("{{").flat_map(|part| part.split("{%")).skip(1) {
            let tag = tag.split("}}").next().unwrap().split("%}").next().unwrap();
            for literal in tag.split('"').skip(1).step_by(2) {
                found.insert(literal.to_owned(), template.path.clone());
            }
        }
    }
    found
}

fn error_keys() -> BTreeSet<String> {
    let parts = ["title", "detail", "action"];
    let codes = codes();
    codes.iter().flat_map(|code| parts.map(|part| format!("error-{code}-{part}"))).collect()
}

#[test]
fn every_language_has_the_same_texts() {
    let english = texts("en");
    let mut mistakes = Vec::new();
    for language in translations() {
        let translated = texts(&language);
        let lines = english.len().max(translated.len());
        for (idx, pair) in (0..lines).map(|idx| (english.get(idx), translated.get(idx))).enumerate()
        {
            let mistake = match pair {
                (Some((key, known)), Some((other, arguments))) if key == other => {
                    let unknown = arguments.difference(known);
                    mistakes.extend(unknown.map(|name| format!("{language}, {key}: ${name}")));
                    continue;
                }
                (Some((key, _)), Some((other, _))) => format!("{other} stands where en has {key}"),
                (Some((key, _)), None) => format!("{key} is missing"),
                (None, other) => format!("{other:?} is not in en"),
            };
            mistakes.push(format!("{language}, text {idx}: {mistake}"));
            break;
        }
    }
    expect_none(&mistakes, "Every language has the keys of en.ftl in the same order:");
}

#[test]
fn every_file_of_texts_is_a_language() {
    let known = read("src/text/i18n.rs").text;
    let unknown: Vec<String> = translations()
        .into_iter()
        .filter(|tag| !known.contains(&format!("id: langid!(\"{tag}\")")))
        .collect();
    expect_none(&unknown, "These files of locales/ have no row in LANGUAGES:");
    assert_eq!(known.matches("id: langid!(").count(), translations().len() + 1, "a row, a file");
}

#[test]
fn no_text_is_there_twice() {
    let mut seen = BTreeSet::new();
    let twice: Vec<String> = texts("en")
        .into_iter()
        .map(|(key, _)| key)
        .filter(|key| !seen.insert(key.clone()))
        .collect();
    expect_none(&twice, "These are in en.ftl twice:");
}

#[test]
fn every_text_that_is_asked_for_exists() {
    let (keys, codes) = (keys(), codes());
    let sections: BTreeSet<&str> = keys.iter().map(|key| key.split('-').next().unwrap()).collect();
    let mut mistakes = Vec::new();
    for (literal, place) in literals() {
        let is_meant = is_key(&literal) && sections.contains(literal.split('-').next().unwrap());
        if is_meant && !codes.contains(&literal) && !keys.contains(&literal) {
            mistakes.push(format!("{place}: {literal}"));
        }
    }
    for key in error_keys().difference(&keys) {
        mistakes.push(format!("a refusal's code: {key}"));
    }
    expect_none(&mistakes, "These texts are asked for and are not in locales/:");
}

/// Whether a key is one of those made at run time: `queue-ended-{status}-title`.
fn is_made(key: &str, literals: &BTreeMap<String, String>) -> bool {
    let patterns = literals.keys().filter(|literal| literal.contains('{'));
    patterns.filter(|pattern| !pattern.starts_with("error-")).any(|pattern| {
        let (start, rest) = pattern.split_once('{').unwrap();
        let end = rest.rsplit('}').next().unwrap();
        start.ends_with('-')
            && is_key(&format!("{start}x"))
            && key.starts_with(start)
            && key.ends_with(end)
    })
}

#[test]
fn every_text_is_used() {
    let (literals, error_keys) = (literals(), error_keys());
    let unused: Vec<String> = keys()
        .into_iter()
        .filter(|key| !literals.contains_key(key) && !error_keys.contains(key))
        .filter(|key| !is_made(key, &literals))
        .collect();
    expect_none(&unused, "Nobody asks for these texts:");
}

/// The words of a line of a language's file, each argument as `$`; `None` for a comment.
fn words(line: &str) -> Option<String> {
    let line = match line.split_once(" = ") {
        Some((key, words)) if is_key(key) => words,
        _ if line.starts_with(' ') => line,
        _ => return None,
    };
    let mut parts = line.split('{').map(|part| part.rsplit('}').next().unwrap());
    let first = parts.next().unwrap_or_default().to_owned();
    Some(parts.fold(first, |words, part| words + "$" + part).to_lowercase())
}

#[test]
fn no_text_says_what_the_glossary_says_otherwise() {
    let mut mistakes = Vec::new();
    for (language, refused) in NOT_SAID {
        let file = read(&format!("locales/{language}.ftl"));
        for (idx, line) in file.text.lines().enumerate() {
            let Some(words) = words(line) else { continue };
            for (word, instead) in refused.iter().filter(|(word, _)| words.contains(word)) {
                mistakes.push(format!("{}:{}: {word:?} is {instead}", file.path, idx + 1));
            }
        }
    }
    expect_none(&mistakes, "docs/WORDS.md has other words for this:");
}

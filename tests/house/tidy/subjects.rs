//! Comments name their subjects: the buyer, the seller, the server, and not an anonymous person.

use std::path::Path;

use super::{
    expect_none,
    source::{Source, below},
};

/// Sentences of a thousand that may have an anonymous subject; must stay fewer.
const PER_MILLE_MAX: usize = 7;
/// Migrations up to this number were applied by offices, so their texts stay.
const LAST_KEPT_MIGRATION: u32 = 64;
const PERSONS: [&str; 5] = ["whoever", "nobody", "somebody", "anybody", "everybody"];
const PAIRS: [(&str, &str); 5] =
    [("those", "of"), ("those", "who"), ("those", "that"), ("is", "told"), ("are", "told")];

/// Sentence of a comment.
struct Sentence {
    /// Line on which it begins.
    line: usize,
    text: String,
    /// Whether a doc comment begins with it.
    is_first_of_doc: bool,
}

/// Lines of a comment up to an empty one, a heading or the next item of a list.
struct Paragraph {
    is_first_of_doc: bool,
    lines: Vec<(usize, String)>,
}

/// Returns the paragraphs of whole-line comments.
fn paragraphs(source: &Source) -> Vec<Paragraph> {
    let is_rust = Path::new(&source.path).extension().is_some_and(|ending| ending == "rs");
    let marks: &[&str] = if is_rust { &["///", "//!", "//"] } else { &["--"] };
    let (mut found, mut before, mut is_broken) = (Vec::<Paragraph>::new(), None, true);
    for (idx, line) in source.text.lines().map(str::trim).enumerate() {
        let Some(mark) = marks.iter().find(|mark| line.starts_with(**mark)) else {
            before = None;
            continue;
        };
        let text = line[mark.len()..].trim();
        let is_begun = before != Some(mark);
        is_broken |= is_begun || is_item(text);
        before = Some(mark);
        if text.is_empty() {
            is_broken = true;
            continue;
        }
        if is_broken {
            let is_first_of_doc = is_begun && mark.len() == 3;
            found.push(Paragraph { is_first_of_doc, lines: Vec::new() });
            is_broken = false;
        }
        found.last_mut().unwrap().lines.push((idx + 1, text.to_owned()));
    }
    found
}

/// Whether the text is an item of a list, a heading or a row of a table.
fn is_item(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = rest.len() < text.len() && rest.starts_with(". ");
    is_numbered || ["* ", "- ", "#", "|"].iter().any(|start| text.starts_with(start))
}

/// Returns the sentences of a paragraph. One ends with a full stop, an exclamation or a question
/// mark before a word that begins with no small letter.
fn sentences(paragraph: &Paragraph) -> Vec<Sentence> {
    let words: Vec<(usize, &str)> = paragraph
        .lines
        .iter()
        .flat_map(|(line, text)| text.split_whitespace().map(move |word| (*line, word)))
        .collect();
    let mut found: Vec<Sentence> = Vec::new();
    let mut is_over = true;
    for (idx, (line, word)) in words.iter().enumerate() {
        if is_over {
            let is_first_of_doc = paragraph.is_first_of_doc && found.is_empty();
            found.push(Sentence { line: *line, text: String::new(), is_first_of_doc });
        }
        let text = &mut found.last_mut().unwrap().text;
        text.push_str(word);
        text.push(' ');
        let is_end = word.trim_end_matches([')', '`', '*', '"', '_']).ends_with(['.', '!', '?']);
        let next = words.get(idx + 1).and_then(|(_, word)| word.chars().next());
        is_over = is_end && next.is_none_or(|letter| !letter.is_lowercase());
    }
    found
}

fn is_anonymous(text: &str) -> bool {
    let text = text.to_lowercase();
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.iter().any(|word| PERSONS.contains(word))
        || words.windows(2).any(|pair| PAIRS.contains(&(pair[0], pair[1])))
}

/// Returns the files whose comments are counted.
fn sources() -> Vec<Source> {
    let mut sources = below("src", &[".rs", ".sql", ".lua"]);
    sources.extend(below("tests", &[".rs"]));
    sources.extend(below("bench", &[".rs"]));
    let is_new = |migration: &Source| {
        let number = migration.name().split('_').next().unwrap();
        number.parse::<u32>().unwrap() > LAST_KEPT_MIGRATION
    };
    sources.extend(below("migrations", &[".sql"]).into_iter().filter(is_new));
    sources
}

#[test]
fn comments_name_their_subjects() {
    let (mut n_sentences, mut firsts, mut all) = (0, Vec::new(), Vec::new());
    for source in sources() {
        for sentence in paragraphs(&source).iter().flat_map(sentences) {
            n_sentences += 1;
            if is_anonymous(&sentence.text) {
                let mistake = format!("{}:{}: {}", source.path, sentence.line, sentence.text);
                if sentence.is_first_of_doc {
                    firsts.push(mistake.clone());
                }
                all.push(mistake);
            }
        }
    }
    assert!(n_sentences > 10_000, "only {n_sentences} sentences were found");
    expect_none(&firsts, "The first sentence of a doc comment names its subject:");
    let is_rare = all.len() * 1_000 < n_sentences * PER_MILLE_MAX;
    let n = all.len();
    let rule = format!("{n} of {n_sentences} sentences have an anonymous subject:");
    assert!(is_rare, "{rule}\n{}", all.join("\n"));
}

#[test]
fn an_anonymous_subject_is_noticed_in_its_sentence() {
    let text = "//! A page, e.g. of\n//! nobody. It is\n//! told.\n\n/// Seats. `Those` who wait.\n\
                fn seats() {}\n// Plain.\n//\n// * Whoever comes.\n";
    let source = Source { path: "sample.rs".to_owned(), text: text.to_owned() };
    let found: Vec<(usize, bool, bool)> = paragraphs(&source)
        .iter()
        .flat_map(sentences)
        .map(|sentence| (sentence.line, sentence.is_first_of_doc, is_anonymous(&sentence.text)))
        .collect();
    let expected = [
        (1, true, true),
        (2, false, true),
        (5, true, false),
        (5, false, true),
        (7, false, false),
        (9, false, true),
    ];
    assert_eq!(found, expected);
}

//! The pages for newcomers and operators name files, types, commands and words that exist.

use std::collections::BTreeSet;

use super::{
    expect_none,
    source::{Source, below, read, root},
};

/// Pages at the root that describe the program as it is.
const ROOT_PAGES: [&str; 4] = ["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md", "SECURITY.md"];
/// Words that stand for something else in a path.
const PLACEHOLDERS: [&str; 3] = ["NAME", "TARGET", "VERSION"];

fn pages() -> Vec<Source> {
    let roots = ROOT_PAGES.iter().map(|path| read(path));
    roots.chain(below("docs", &[".md"])).collect()
}

/// Returns what stands in backticks within one line, with the line's number.
fn quoted(page: &Source) -> impl Iterator<Item = (usize, &str)> {
    page.text.lines().enumerate().flat_map(|(idx, line)| {
        line.split('`').skip(1).step_by(2).map(move |quoted| (idx + 1, quoted))
    })
}

/// Whether the text is a path below the checkout's root, such as `src/infra/postgres/`.
fn is_path(text: &str) -> bool {
    const FOLDERS: [&str; 8] =
        ["src", "tests", "docs", "migrations", "templates", "static", "scripts", "bench"];
    let is_plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"./_-".contains(&byte));
    let is_below = FOLDERS.iter().any(|folder| text.starts_with(&format!("{folder}/")));
    is_plain && is_below && !PLACEHOLDERS.iter().any(|word| text.contains(word))
}

#[test]
fn every_path_on_a_page_exists() {
    let (mut mistakes, mut n_paths) = (Vec::new(), 0);
    for page in pages() {
        for (number, text) in quoted(&page).filter(|(_, text)| is_path(text)) {
            n_paths += 1;
            let paths = [text.to_owned(), format!("{text}.rs")];
            if !paths.iter().any(|path| root().join(path).exists()) {
                mistakes.push(format!("{}:{number}: {text}", page.path));
            }
        }
    }
    assert!(n_paths > 60, "only {n_paths} paths were found");
    expect_none(&mistakes, "There is no such file or folder:");
}

/// Whether the text is the name of a type, such as `HoldRequest`.
fn is_type(text: &str) -> bool {
    let n_capitals = text.bytes().filter(u8::is_ascii_uppercase).count();
    text.bytes().all(|byte| byte.is_ascii_alphabetic())
        && text.starts_with(|c: char| c.is_ascii_uppercase())
        && (2..text.len()).contains(&n_capitals)
}

#[test]
fn every_type_of_the_architecture_exists() {
    let sources = below("src", &[".rs"]);
    let words: BTreeSet<&str> = sources
        .iter()
        .flat_map(|source| source.text.split(|c: char| !c.is_alphanumeric() && c != '_'))
        .collect();
    let (mut mistakes, mut n_types) = (Vec::new(), 0);
    for page in [read("ARCHITECTURE.md"), read("CONTRIBUTING.md"), read("docs/WORDS.md")] {
        for (number, text) in quoted(&page).filter(|(_, text)| is_type(text)) {
            n_types += 1;
            if !words.contains(text) {
                mistakes.push(format!("{}:{number}: {text}", page.path));
            }
        }
    }
    assert!(n_types > 15, "only {n_types} types were found");
    expect_none(&mistakes, "There is no such type:");
}

#[test]
fn every_command_of_make_on_a_page_is_a_target() {
    let makefile = read("Makefile").text;
    let targets: BTreeSet<&str> = makefile
        .lines()
        .filter(|line| !line.starts_with(['\t', ' ', '#']))
        .filter_map(|line| line.split_once(": ").map(|(target, _)| target))
        .collect();
    let mut mistakes = Vec::new();
    for page in pages() {
        for (number, line) in (1..).zip(page.text.lines()) {
            let quoted = line.split('`').skip(1).step_by(2);
            let code = line.strip_prefix("    ").into_iter().chain(quoted);
            for command in code.filter_map(|code| code.trim().split_once("make ")) {
                let is_command = command.0.is_empty() || command.0.ends_with("… ");
                let target = command.1.split(' ').next().unwrap();
                if is_command && !targets.contains(target) {
                    mistakes.push(format!("{}:{number}: make {target}", page.path));
                }
            }
        }
    }
    expect_none(&mistakes, "The Makefile has no such target:");
}

#[test]
fn the_page_of_events_lists_every_kind() {
    let code = read("src/events/model.rs").text;
    let kinds: Vec<&str> = code
        .lines()
        .filter_map(|line| line.trim().strip_prefix("#[strum(serialize = \""))
        .filter_map(|rest| rest.split('"').next())
        .collect();
    let page = read("docs/EVENTS.md").text;
    let rows = page.lines().skip_while(|line| !line.starts_with("| kind |")).skip(2);
    let rows = rows.take_while(|line| line.starts_with('|'));
    let said: Vec<&str> =
        rows.flat_map(|row| row.split('|').nth(1).unwrap().split('`').skip(1).step_by(2)).collect();
    assert!(kinds.len() > 15, "only {} kinds were found", kinds.len());
    assert_eq!(said, kinds, "docs/EVENTS.md and src/events/model.rs differ");
}

#[test]
fn the_words_in_bold_of_the_guide_are_those_of_the_pages() {
    let (guide, texts) = (read("docs/FIRST-SHOW.md").text, read("locales/en.ftl").text);
    let texts = texts.to_lowercase();
    let texts: Vec<&str> = texts.lines().filter_map(|line| line.split(" = ").nth(1)).collect();
    let is_shown = |word: &str| {
        let rest = texts.iter().filter_map(|text| text.strip_prefix(word));
        rest.into_iter().any(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    let words: Vec<&str> = guide.split("**").skip(1).step_by(2).collect();
    assert!(words.len() > 30, "only {} words were found", words.len());
    let unknown: Vec<String> = words
        .into_iter()
        .filter(|word| !is_shown(&word.to_lowercase()))
        .map(str::to_owned)
        .collect();
    expect_none(&unknown, "No page has these words of docs/FIRST-SHOW.md:");
}

/// Figures of a page with the code that they repeat.
const FIGURES: [(&str, &str, &str, &str); 22] = [
    (
        "ARCHITECTURE.md",
        "each call ends after 7 seconds",
        "src/infra/postgres/connection/mod.rs",
        "CALL_MAX: Duration = Duration::from_secs(7)",
    ),
    (
        "ARCHITECTURE.md",
        "waits half a second for the standby alone",
        "src/infra/postgres/standby/mod.rs",
        "PATIENCE: Duration = Duration::from_millis(500)",
    ),
    (
        "ARCHITECTURE.md",
        "longer than 5 seconds is answered as unknown",
        "src/web/middleware/deadline.rs",
        "CHANGE_MAX: Duration = Duration::from_millis(4_900)",
    ),
    (
        "ARCHITECTURE.md",
        "and dropped after 20",
        "src/web/middleware/deadline.rs",
        "CHANGE_WORK_MAX: Duration = Duration::from_secs(20)",
    ),
    (
        "ARCHITECTURE.md",
        "pings after three seconds of silence",
        "src/infra/redis/subscription.rs",
        "SILENCE_MAX: Duration = Duration::from_secs(3)",
    ),
    (
        "ARCHITECTURE.md",
        "A conversation ends after 4 seconds, for a page",
        "src/wallet/charges/stripe/mod.rs",
        "ASK_MAX: Duration = Duration::from_secs(4)",
    ),
    (
        "ARCHITECTURE.md",
        "for a page after 1.2;",
        "src/payment/checkout/mod.rs",
        "PAGE_ASK_MAX: Duration = Duration::from_millis(1_200)",
    ),
    (
        "ARCHITECTURE.md",
        "A conversation ends after 4 seconds, a round",
        "src/entry_queue/log/witnesses/client.rs",
        "ASK_MAX: Duration = Duration::from_secs(4)",
    ),
    (
        "ARCHITECTURE.md",
        "a round after ten",
        "src/entry_queue/log/witnesses/mod.rs",
        "ROUND_MAX: Duration = Duration::from_secs(10)",
    ),
    (
        "ARCHITECTURE.md",
        "An attempt ends after 10 seconds",
        "src/webhooks/client.rs",
        "ATTEMPT_MAX: Duration = Duration::from_secs(10)",
    ),
    (
        "ARCHITECTURE.md",
        "leased to the account for ten seconds",
        "src/reservation/leased_seats/mod.rs",
        "LEASE: Duration = Duration::from_secs(10)",
    ),
    (
        "ARCHITECTURE.md",
        "at most a hundred a transaction",
        "src/reservation/lifecycle/expiry.rs",
        "BATCH_ROWS: usize = 100",
    ),
    (
        "docs/GROWING.md",
        "The longest answer takes 15;",
        "src/web/middleware/deadline.rs",
        "LONG_CHANGE_MAX: Duration = Duration::from_secs(15)",
    ),
    (
        "docs/GROWING.md",
        "lasts at most ten minutes",
        "src/reservation/seat_map/pages/changes.rs",
        "STREAM_MAX: Duration = Duration::from_mins(10)",
    ),
    (
        "docs/GROWING.md",
        "At most 5 seconds",
        "src/infra/postgres/standby/freshness.rs",
        "STALENESS_MAX: Duration = Duration::from_secs(5)",
    ),
    (
        "docs/SEAT-PLANS.md",
        "A venue has up to 100,000 seats",
        "src/catalog/venues/plan/draft.rs",
        "SEATS_MAX: usize = 100_000",
    ),
    (
        "docs/SEAT-PLANS.md",
        "at most 20,000 seats of performances",
        "src/catalog/venues/replacement.rs",
        "PERFORMED_MAX: usize = 20_000",
    ),
    (
        "docs/SEAT-PLANS.md",
        "Names, up to 40 characters",
        "src/catalog/venues/plan/seat.rs",
        "NAME_CHARS_MAX: usize = 40",
    ),
    (
        "docs/SECURITY-EVENTS.md",
        "written 20 times at once",
        "src/infra/security_log.rs",
        "BURST: NonZeroU32 = NonZeroU32::new(20)",
    ),
    (
        "docs/SECURITY-EVENTS.md",
        "One network may have 112 log-ins waiting",
        "src/accounts/password/hash_queue.rs",
        "ALONE_MAX: usize = 112",
    ),
    (
        "docs/SECURITY-EVENTS.md",
        "3 links of one kind an hour",
        "src/accounts/links/mod.rs",
        "LINKS_PER_HOUR_MAX: i64 = 3",
    ),
    (
        "docs/PRIVACY.md",
        "| request keys | two days |",
        "src/infra/idempotency/mod.rs",
        "KEPT_HOURS: i32 = 48",
    ),
];

#[test]
fn a_figure_on_a_page_is_that_of_the_code() {
    let mut mistakes = Vec::new();
    for (page, sentence, path, code) in FIGURES {
        let words: Vec<String> =
            read(page).text.split_whitespace().map(ToOwned::to_owned).collect();
        if !words.join(" ").contains(sentence) {
            mistakes.push(format!("{page} does not say {sentence:?}"));
        }
        if !root().join(path).exists() || !read(path).text.contains(code) {
            mistakes.push(format!("{path} has no {code:?}, of which {page} says {sentence:?}"));
        }
    }
    expect_none(&mistakes, "A page and the code differ:");
}

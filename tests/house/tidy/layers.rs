//! Who may use whom, and where SQL, HTTP and Redis stand.

use std::collections::BTreeSet;

use super::{
    expect_none,
    source::{Source, below, read},
};

/// Left to right only: a module uses what stands before it. Modules of one group do not use each
/// other.
const ORDER: [&[&str]; 30] = [
    &["config"],
    &["telemetry"],
    &["text"],
    &["infra"],
    &["office"],
    &["app"],
    &["setbacks"],
    &["points"],
    &["events", "outbox"],
    &["web"],
    &["accounts"],
    &["audit"],
    &["catalog"],
    &["wallet"],
    &["entry_queue"],
    &["reservation"],
    &["tickets"],
    &["payment"],
    &["receipts"],
    &["mail", "webhooks"],
    &["account_deletion", "admin", "demo", "personal_data"],
    &["verify"],
    &["workers"],
    &["rehearsal", "witness"],
    &["api_reference", "office_pages"],
    &["routes"],
    &["server"],
    &["lib"],
    &["fuzz", "offline", "rehearse_arguments"],
    &["main"],
];

fn rank(module: &str) -> Option<usize> {
    ORDER.iter().position(|group| group.contains(&module))
}

/// `src/wallet/store.rs` is of `wallet`, `src/points.rs` of `points`.
fn module_of(source: &Source) -> &str {
    let path = source.path.strip_prefix("src/").unwrap();
    path.split('/').next().unwrap().trim_end_matches(".rs")
}

/// Crates below `stagedoor`.
fn crates() -> Vec<String> {
    let manifests = below("crates", &["Cargo.toml"]).into_iter();
    let names = manifests.map(|manifest| manifest.path.split('/').nth(1).unwrap().to_owned());
    names.collect()
}

/// Whether a file lists the modules of a crate, as `src/base.rs` does.
fn is_list_of_modules(source: &Source) -> bool {
    crates().iter().any(|name| source.path == format!("src/{name}.rs"))
}

/// The modules named by `crate::…` and `crate::{…}`; main says `stagedoor::…`.
fn used_modules(source: &Source) -> BTreeSet<String> {
    let code: Vec<&str> = source.code().map(|(_, line)| line).collect();
    let code = code.join("\n");
    let roots =
        if source.path == "src/main.rs" { ["crate::", "stagedoor::"] } else { ["crate::"; 2] };
    let mut used = BTreeSet::new();
    for rest in roots.iter().flat_map(|root| code.split(root).skip(1)) {
        match rest.strip_prefix('{') {
            Some(group) => used.extend(heads(group)),
            None => used.extend(identifier(rest)),
        }
    }
    used
}

/// The first names of each part of a `use` group, up to the brace that closes it.
fn heads(group: &str) -> Vec<String> {
    let (mut depth, mut parts) = (0, vec![String::new()]);
    for letter in group.chars() {
        match letter {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => parts.push(String::new()),
            _ => parts.last_mut().unwrap().push(letter),
        }
    }
    parts.iter().filter_map(|part| identifier(part.trim())).collect()
}

fn identifier(text: &str) -> Option<String> {
    let name: String = text.chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect();
    (!name.is_empty()).then_some(name)
}

#[test]
fn modules_use_only_what_stands_left_of_them() {
    let mut mistakes = Vec::new();
    for source in below("src", &[".rs"]) {
        if is_list_of_modules(&source) {
            continue;
        }
        let module = module_of(&source);
        let Some(own) = rank(module) else {
            mistakes.push(format!("{}: {module} has no place in the order", source.path));
            continue;
        };
        for used in used_modules(&source) {
            let is_left = rank(&used).is_none_or(|other| other < own);
            if used != module && !is_left {
                mistakes.push(format!("{} uses {used}, which stands further right", source.path));
            }
        }
    }
    expect_none(&mistakes, "The dependency order of src/lib.rs is broken:");
}

#[test]
fn the_order_is_the_same_wherever_it_is_written() {
    let order = ORDER.map(|group| group.join(", ")).join(" < ");
    for (path, start, end) in
        [("src/lib.rs", "//! `config <", "`\n\n"), ("ARCHITECTURE.md", "> config <", "\n\n")]
    {
        let text = read(path).text;
        let (_, rest) = text.split_once(start).unwrap();
        let lines = rest.split(end).next().unwrap().lines();
        let words =
            lines.flat_map(|line| line.split(' ')).filter(|w| !["", "//!", ">"].contains(w));
        let said: Vec<&str> = ["config", "<"].into_iter().chain(words).collect();
        assert_eq!(said.join(" "), order, "{path}");
    }
}

#[test]
fn a_crate_is_a_part_of_the_order_and_listed() {
    let map = read("ARCHITECTURE.md").text;
    let order: Vec<&str> = ORDER.iter().flat_map(|group| group.iter().copied()).collect();
    let mut mistakes = Vec::new();
    for name in crates() {
        let list = read(&format!("src/{name}.rs")).text;
        let modules = list.lines().filter_map(|line| line.strip_prefix("pub mod "));
        let modules: BTreeSet<&str> = modules.map(|module| module.trim_end_matches(';')).collect();
        let first = order.iter().position(|module| modules.contains(module)).unwrap();
        let part = &order[first..first + modules.len()];
        if !part.iter().all(|module| modules.contains(module)) {
            mistakes.push(format!("{name} has {modules:?}, which are no part of the order"));
        }
        let row = format!("| `{name}` | `{}` |", part.join("`, `"));
        if !map.contains(&row) {
            mistakes.push(format!("ARCHITECTURE.md lacks {row}"));
        }
    }
    expect_none(&mistakes, "A crate is a part of the order, and a row of the code map:");
}

#[test]
fn the_code_map_has_every_module() {
    let map = read("ARCHITECTURE.md").text;
    let modules = ORDER.iter().flat_map(|group| group.iter());
    let missing: Vec<String> = modules
        .filter(|module| !["lib", "main"].contains(module))
        .filter(|module| {
            let rows = [format!("| `src/{module}/` |"), format!("| `src/{module}.rs` |")];
            !rows.iter().any(|row| map.contains(row))
        })
        .map(|module| format!("src/{module}"))
        .collect();
    expect_none(&missing, "The code map of ARCHITECTURE.md lacks:");
}

fn find(words: &[&str], may: impl Fn(&Source) -> bool) -> Vec<String> {
    let mut mistakes = Vec::new();
    for source in below("src", &[".rs"]).iter().filter(|source| !may(source)) {
        for (number, line) in source.code() {
            if words.iter().any(|word| line.contains(word)) {
                mistakes.push(format!("{}:{number}: {}", source.path, line.trim()));
            }
        }
    }
    mistakes
}

/// Whether a file is, or lies in, a room's `store` or `pages`.
fn is_room_file(source: &Source, kind: &str) -> bool {
    source.name().ends_with(&format!("{kind}.rs")) || source.path.contains(&format!("/{kind}/"))
}

#[test]
fn sql_stands_in_stores() {
    let words = ["query!(", "query_as!(", "query_scalar!(", "sqlx::query", "raw_sql("];
    let mistakes = find(&words, |source| {
        is_room_file(source, "store")
            || source.path.starts_with("src/infra/")
            || source.path == "src/verify/checks/mod.rs"
    });
    expect_none(&mistakes, "SQL belongs into a room's store:");
}

#[test]
fn http_stands_in_pages() {
    let mistakes = find(&["actix_web", "actix_http"], |source| {
        is_room_file(source, "pages")
            || source.path.starts_with("src/web/")
            || source.path == "src/main.rs"
            || source.path.starts_with("src/server/")
            || source.path.starts_with("src/fuzz/")
    });
    expect_none(&mistakes, "actix belongs into pages and web/:");
}

/// What the features are about: a page, a worker and a test use it alike.
#[test]
fn the_types_of_a_feature_know_no_http() {
    let is_type = |source: &Source| {
        source.name() == "model.rs" || source.path.starts_with("src/accounts/password/")
    };
    let sources = below("src", &[".rs"]);
    let types: Vec<&Source> = sources.iter().filter(|source| is_type(source)).collect();
    assert!(types.len() > 8, "only {} files were found", types.len());
    let with_web = types.into_iter().filter(|source| used_modules(source).contains("web"));
    let mistakes: Vec<String> = with_web.map(|source| source.path.clone()).collect();
    expect_none(&mistakes, "These types use the HTTP kit:");
}

#[test]
fn errors_are_mapped_beside_their_enum() {
    let mistakes = find(&["HttpError for ", "problems! {"], |source| {
        source.name() == "error.rs" || source.path.starts_with("src/web/")
    });
    expect_none(&mistakes, "The table from variant to status and code belongs into error.rs:");
}

#[test]
fn no_type_of_the_domain_imports_the_http_kit() {
    let features = rank("accounts").unwrap()..rank("verify").unwrap();
    let mut mistakes = below("src", &[".rs"]);
    mistakes.retain(|source| {
        let is_of_feature = rank(module_of(source)).is_some_and(|rank| features.contains(&rank));
        let may = is_room_file(source, "pages") || source.name() == "error.rs";
        is_of_feature && !may && used_modules(source).contains("web")
    });
    let mistakes: Vec<String> = mistakes.into_iter().map(|source| source.path).collect();
    expect_none(&mistakes, "Only pages and error.rs of a feature know web/:");
}

#[test]
fn redis_commands_stand_beside_their_lua() {
    // The errors and handles of infra::redis are for all rooms; the crate's own are not.
    let words = ["use redis::", "redis::cmd", "redis::pipe", "redis::Script", "redis::Cmd"];
    let mistakes = find(&words, |source| {
        source.path.starts_with("src/infra/")
            || source.text.contains("include_str!(\"") && source.text.contains(".lua\")")
    });
    expect_none(&mistakes, "Redis commands belong beside a script or into infra:");
}

#[test]
fn every_script_says_what_it_does_and_is_run() {
    let mut mistakes = Vec::new();
    let rust = below("src", &[".rs"]);
    for script in below("src", &[".lua"]) {
        for part in ["-- Run by: ", "-- KEYS[1", "-- Returns ", "-- Why a script: ", "-- Cost: "] {
            if !script.text.contains(part) {
                mistakes.push(format!("{} has no {part:?} in its header", script.path));
            }
        }
        let run = format!("include_str!(\"{}\")", script.name());
        let folder = script.path.trim_end_matches(script.name());
        if !rust.iter().any(|rust| rust.path.starts_with(folder) && rust.text.contains(&run)) {
            mistakes.push(format!("{} is run by nobody beside it", script.path));
        }
    }
    expect_none(&mistakes, "A Lua script needs its header and a Rust type beside it:");
}

#[test]
fn every_file_says_what_it_is_for() {
    let sources = below("src", &[".rs"]).into_iter().chain(below("tests", &[".rs"]));
    let mistakes: Vec<String> = sources
        .filter(|source| !source.text.starts_with("//! "))
        .map(|source| source.path)
        .collect();
    expect_none(&mistakes, "These do not open with a `//!` line:");
}

#[test]
fn nothing_is_left_for_later() {
    let marks =
        [concat!("TO", "DO"), concat!("FIX", "ME"), concat!(" X", "XX"), concat!("db", "g!(")];
    let mut mistakes = Vec::new();
    for folder in ["src", "tests", "templates", "static", "locales", "scripts", "migrations"] {
        for source in below(folder, &["", ""]) {
            for (idx, line) in source.text.lines().enumerate() {
                if marks.iter().any(|mark| line.contains(mark)) {
                    mistakes.push(format!("{}:{}: {}", source.path, idx + 1, line.trim()));
                }
            }
        }
    }
    expect_none(&mistakes, "Something was left for later:");
}

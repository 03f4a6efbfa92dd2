//! One style of the pages' scripts, and nothing in them that a page could be taken over with.

use super::{
    expect_none,
    source::{Source, below},
};

const COLUMNS_MAX: usize = 100;
/// What makes markup or code of a text, and handlers that a strict policy refuses.
const FORBIDDEN: [&str; 10] = [
    "innerHTML",
    "outerHTML",
    "insertAdjacentHTML",
    "document.write",
    "eval(",
    "new Function",
    "setAttribute(\"on",
    "javascript:",
    "var ",
    "debugger",
];

/// Lines of code with their numbers, without comments.
fn code(text: &str) -> Vec<(usize, &str)> {
    let lines = text.lines().enumerate().map(|(idx, line)| (idx + 1, line));
    let is_comment = |line: &str| ["//", "/*", "* ", "*/"].iter().any(|c| line.starts_with(c));
    lines.filter(|(_, line)| !line.trim().is_empty() && !is_comment(line.trim())).collect()
}

/// What is wrong with the style of a script.
fn mistakes_of(text: &str) -> Vec<String> {
    let mut mistakes = Vec::new();
    if !text.starts_with("// ") {
        mistakes.push("1: does not begin with what it does".to_owned());
    }
    for (idx, line) in text.lines().enumerate() {
        if line.chars().count() > COLUMNS_MAX || line.trim_end() != line || line.contains('\t') {
            mistakes.push(format!("{}: too long, or blank where none shows: {line}", idx + 1));
        }
    }
    let code = code(text);
    for (idx, (number, line)) in code.iter().enumerate() {
        let next = code.get(idx + 1).map_or("", |(_, next)| next.trim());
        mistakes.extend(mistake(line, next).map(|mistake| format!("{number}: {mistake}: {line}")));
    }
    mistakes
}

fn mistake(line: &str, next: &str) -> Option<&'static str> {
    let line = line.trim_end();
    let indent = line.len() - line.trim_start().len();
    let goes_on = next.starts_with(['.', '?', ':']) || line.ends_with("=>");
    let is_ended = goes_on || line.ends_with([';', '{', '}', '(', '[', ',']);
    let mut quoted = line.split('\'').skip(1).step_by(2);
    // With `null` it is one comparison with both, `null` and `undefined`.
    let compared = line.replace(" == null", "").replace(" != null", "");
    let rules = [
        (indent % 2 == 1, "two spaces a step"),
        (!is_ended, "no semicolon"),
        (quoted.any(|text| !text.contains('"')), "double quotes, unless the text has some"),
        (compared.contains(" == ") || compared.contains(" != "), "`===` and `!==`"),
        (line.contains(".on") && line.contains(" = "), "`addEventListener`"),
        (FORBIDDEN.iter().any(|word| line.contains(word)), "forbidden"),
    ];
    rules.into_iter().find(|(is_broken, _)| *is_broken).map(|(_, mistake)| mistake)
}

#[test]
fn scripts_are_of_one_style() {
    let mut mistakes = Vec::new();
    for script in below("static/js", &[".js"]) {
        let found = mistakes_of(&script.text).into_iter();
        mistakes.extend(found.map(|mistake| format!("{}:{mistake}", script.path)));
    }
    expect_none(&mistakes, "JavaScript is written as CONTRIBUTING.md says:");
}

/// A module is strict without a word; a script that no page names is dead.
#[test]
fn every_script_is_a_module_of_some_page() {
    let (scripts, pages) = (below("static/js", &[".js"]), below("templates", &[".html"]));
    let is_loaded = |script: &Source| {
        let name = script.name();
        let (module, worker) = (
            format!("<script type=\"module\" src=\"{{{{ v.asset(\"js/{name}\") }}}}\""),
            format!("data-worker=\"{{{{ v.asset(\"js/{name}\") }}}}\""),
        );
        let by_page = |page: &Source| page.text.contains(&module) || page.text.contains(&worker);
        let import = format!(" from \"./{name}\";");
        pages.iter().any(by_page) || scripts.iter().any(|other| other.text.contains(&import))
    };
    let dead = scripts.iter().filter(|script| !is_loaded(script));
    let mistakes: Vec<String> = dead.map(|script| script.path.clone()).collect();
    expect_none(&mistakes, "These scripts are loaded as a module by nobody:");
}

#[test]
fn another_style_is_noticed() {
    for bad in [
        "   go();",
        "go()",
        "say('word');",
        "if (a == b) go();",
        "if (a != b) go();",
        "button.onclick = go;",
        "box.innerHTML = words;",
        "var a = 1;",
        "go(); ",
        "go(\t1);",
    ] {
        assert_eq!(mistakes_of(&format!("// Goes.\n{bad}\n")).len(), 1, "{bad}");
    }
    assert_eq!(mistakes_of("go();\n").len(), 1);
    let good = "// Goes.\nif (a != null) go('[name=\"b\"]');\nconst c = a\n  .b();\n// don't\n";
    assert_eq!(mistakes_of(good), Vec::<String>::new());
}

//! Templates name their struct, and carry neither scripts nor styles of their own.

use super::{
    expect_none,
    source::{Source, below},
};

#[test]
fn a_template_names_the_struct_that_renders_it() {
    let mut mistakes = Vec::new();
    for template in below("templates", &[".html"]) {
        if let Err(mistake) = owner(&template) {
            mistakes.push(format!("{}: {mistake}", template.path));
        }
    }
    expect_none(&mistakes, "The first line of a template names its struct, or says what it is:");
}

fn owner(template: &Source) -> Result<(), String> {
    let first = template.text.lines().next().unwrap_or_default();
    let said = first.strip_prefix("{#- ").ok_or("opens without a `{#- … -#}` comment")?;
    if ["Macros ", "The frame ", "Included where "].iter().any(|start| said.starts_with(start)) {
        return Ok(());
    }
    let name = said
        .strip_prefix("Rendered by ")
        .or_else(|| said.strip_prefix("Drawn for "))
        .ok_or("says neither `Rendered by …` nor `Drawn for …`")?;
    let name: String =
        name.chars().take_while(|c| c.is_ascii_alphanumeric() || "_:".contains(*c)).collect();
    let name = name.trim_end_matches(':');
    let (module, structure) = name.rsplit_once("::").ok_or("names no module::Struct")?;
    let file = format!("src/{}", module.replace("::", "/"));
    let texts: Vec<String> = below("src", &[".rs"])
        .into_iter()
        .filter(|source| {
            source.path == format!("{file}.rs") || source.path.starts_with(&format!("{file}/"))
        })
        .map(|source| source.text)
        .collect();
    let declared = |text: &String| {
        [" ", "<", ";"].iter().any(|end| text.contains(&format!("struct {structure}{end}")))
    };
    if !texts.iter().any(declared) {
        return Err(format!("{name} is not in {file}.rs"));
    }
    let path = template.path.trim_start_matches("templates/");
    let is_rendered = said.starts_with("Drawn for ")
        || texts.iter().any(|text| text.contains(&format!("path = \"{path}\"")));
    is_rendered.then_some(()).ok_or(format!("{file}.rs renders no {path:?}"))
}

/// But for the style sheet of a mail, which has nowhere to load one from.
#[test]
fn templates_carry_no_script_and_no_style() {
    let mut mistakes = Vec::new();
    for template in below("templates", &[".html"]) {
        let is_mail = template.path.starts_with("templates/mail/");
        for (idx, line) in template.text.lines().enumerate() {
            let own_style = is_mail && line.trim() == "<style>";
            if let Some(mistake) = forbidden(line).filter(|_| !own_style) {
                mistakes.push(format!("{}:{}: {mistake}: {}", template.path, idx + 1, line.trim()));
            }
        }
    }
    expect_none(&mistakes, "Pages work under a strict policy:");
}

fn forbidden(line: &str) -> Option<&'static str> {
    let squeezed = line.replace(' ', "");
    if squeezed.contains("|safe") || squeezed.contains("escape(\"none\")") {
        return Some("escaping is switched off");
    }
    if line.contains("<script") && !line.contains(" src=") {
        return Some("an inline script");
    }
    if line.contains(" style=") || line.contains("<style") {
        return Some("an inline style");
    }
    if line.contains("javascript:") || line.split(' ').any(is_event_attribute) {
        return Some("an inline event handler");
    }
    None
}

/// `onclick="…"` and its like.
fn is_event_attribute(word: &str) -> bool {
    const EVENTS: [&str; 12] = [
        "blur", "change", "click", "drag", "error", "focus", "input", "key", "load", "mouse",
        "pointer", "submit",
    ];
    let Some((name, _)) = word.split_once('=') else { return false };
    let event = name.strip_prefix("on").unwrap_or_default();
    EVENTS.iter().any(|known| event.starts_with(known))
}

#[test]
fn the_rules_see_what_they_forbid() {
    for bad in [
        "{{ name|safe }}",
        "{{ name | safe }}",
        "<script>",
        "<p style=\"x\">",
        "<a onclick=\"x\">",
        "<a href=\"javascript:x\">",
    ] {
        assert!(forbidden(bad).is_some(), "{bad}");
    }
    assert_eq!(forbidden("<script type=\"module\" src=\"x\"></script> one=\"two\""), None);
}

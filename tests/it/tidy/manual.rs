//! What the README says about settings is what the program reads.

use stagedoor::config::SETTINGS;

use super::source::read;

const HEAD: &str = "| Variable | Default | Unit | What it decides |\n|---|---|---|---|\n";

fn table() -> String {
    let row = |setting: &stagedoor::config::Setting| {
        let default = match setting.default {
            "" => "-".to_owned(),
            default => format!("`{default}`"),
        };
        format!("| `{}` | {default} | {} | {} |\n", setting.name, setting.unit, setting.meaning)
    };
    SETTINGS.iter().map(row).collect()
}

#[test]
fn the_readme_lists_every_setting() {
    let (readme, table) = (read("README.md").text, table());
    let said = readme.split_once(HEAD).map_or("", |(_, rest)| rest);
    let said: String = said
        .lines()
        .take_while(|line| line.starts_with('|'))
        .flat_map(|line| [line, "\n"])
        .collect();
    assert!(
        said == table,
        "README.md's table of settings is not config::SETTINGS. Replace it with:\n\n{HEAD}{table}"
    );
}

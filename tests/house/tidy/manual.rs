//! What the README says about settings is what the program reads, and the files that describe a
//! build or a deployment agree.

use stagedoor::{app::StaleRead, config::SETTINGS};
use strum::VariantArray;

use super::source::{below, read};

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

#[test]
fn the_manual_lists_every_read_that_may_be_old() {
    let page = read("docs/GROWING.md").text;
    let rows = page.lines().skip_while(|line| !line.starts_with("| Read |")).skip(2);
    let rows = rows.take_while(|line| line.starts_with('|'));
    let said: Vec<String> = rows.map(|row| row.split('`').nth(1).unwrap().to_owned()).collect();
    let reads = StaleRead::VARIANTS.iter().map(|read| <&'static str>::from(read).to_owned());
    assert_eq!(said, reads.collect::<Vec<_>>());
}

/// A field of a program is written where CONTRIBUTING.md says; the demo may leave it out.
#[test]
fn the_walk_of_a_field_names_every_file_that_has_it() {
    let page = read("CONTRIBUTING.md").text;
    let (_, walk) = page.split_once("## One more field of a program").unwrap();
    let walk = walk.split("\n## ").next().unwrap();
    let is_file = |text: &&str| text.starts_with("src/") || text.starts_with("templates/");
    let mut named: Vec<&str> = walk.split('`').skip(1).step_by(2).filter(is_file).collect();
    let mut sources = below("src", &[".rs", ".sql"]);
    sources.extend(below("templates", &[".html"]));
    let is_word = |c: char| !c.is_alphanumeric() && c != '_';
    sources.retain(|source| {
        let has = source.text.split(is_word).any(|word| word == "age_min");
        has && !source.path.starts_with("src/demo/")
    });
    let mut have: Vec<&str> = sources.iter().map(|source| source.path.as_str()).collect();
    named.sort_unstable();
    have.sort_unstable();
    assert_eq!(named, have);
}

/// A container that takes all memory takes the others with it, and a tag that moves is
/// another program tomorrow.
#[test]
fn compose_bounds_memory_and_pins_every_image() {
    for file in ["compose.yaml", "compose.cluster.yaml"] {
        expect_bounds_and_pins(&read(file).text);
    }
}

fn expect_bounds_and_pins(compose: &str) {
    let value = |name: &str| -> Vec<String> {
        let lines = compose.lines().filter_map(|line| line.trim().strip_prefix(name));
        lines.map(|value| value.trim().to_owned()).collect()
    };
    let images = value("image:");
    assert!(images.len() >= 3, "{images:?}");
    for image in &images {
        let (_, tag) = image.split_once(':').unwrap();
        let n_parts = tag.split('-').next().unwrap().split('.').count();
        assert!(n_parts >= 2 && tag.starts_with(|c: char| c.is_ascii_digit()), "{image}");
    }
    assert_eq!(value("mem_limit:").len(), images.len(), "every service has a limit");
}

/// The image is named by the version that it is built from.
#[test]
fn one_version_of_the_image_is_named_everywhere() {
    let tag = format!("stagedoor:{}", env!("CARGO_PKG_VERSION"));
    let in_kubernetes = ["deploy/kubernetes/migrate.yaml", "deploy/kubernetes/stagedoor.yaml"];
    for path in ["compose.yaml", "compose.cluster.yaml"].into_iter().chain(in_kubernetes) {
        let text = read(path).text;
        let images = text.lines().filter_map(|line| line.trim().strip_prefix("image: stagedoor:"));
        let images: Vec<String> = images.map(|version| format!("stagedoor:{version}")).collect();
        assert_eq!(images, std::slice::from_ref(&tag), "{path}");
    }
    let job = format!("stagedoor-migrate-{}", env!("CARGO_PKG_VERSION").replace('.', "-"));
    assert!(read("deploy/kubernetes/migrate.yaml").text.contains(&format!("name: {job}\n")));
}

/// Rust is named where rustup, cargo and Docker read it.
#[test]
fn one_version_of_rust_is_named_everywhere() {
    let named = |path: &str, start: &str, end: char| -> String {
        let text = read(path).text;
        let line = text.lines().find_map(|line| line.strip_prefix(start));
        line.unwrap().split(end).next().unwrap().to_owned()
    };
    let pinned = named("rust-toolchain.toml", "channel = \"", '"');
    assert_eq!(named("Dockerfile", "FROM rust:", '-'), pinned);
    let oldest = named("Cargo.toml", "rust-version = \"", '"');
    assert_eq!(pinned.rsplit_once('.').unwrap().0, oldest);
}

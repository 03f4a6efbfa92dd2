//! Names in addresses, made of titles.

/// Bound on characters of a made name, without its number: the longest name has 80.
const CHARS_MAX: usize = 76;
/// Numbers that are tried for a name that is taken.
const NUMBERS_MAX: usize = 100;
/// Name of a title without a letter or digit.
const NAMELESS: &str = "show";

/// Returns the name of a title: its words in Latin letters as they are pronounced, with hyphens
/// between them, as many as fit.
fn name_of(title: &str) -> String {
    let latin = deunicode::deunicode(title).to_ascii_lowercase().replace('\'', "");
    let words = latin.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut name = String::new();
    for word in words {
        if name.is_empty() {
            name.extend(word.chars().take(CHARS_MAX));
        } else if name.len() + 1 + word.len() <= CHARS_MAX {
            name.push('-');
            name.push_str(word);
        } else {
            break;
        }
    }
    if name.is_empty() { NAMELESS.to_owned() } else { name }
}

/// Returns the names that a title may get, the one without a number first.
pub fn names_of(title: &str) -> Vec<String> {
    let name = name_of(title);
    let numbered = (2..=NUMBERS_MAX).map(|number| format!("{name}-{number}"));
    std::iter::once(name.clone()).chain(numbered).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_spelt_in_latin_letters() {
        for (title, name) in [
            ("Hamlet", "hamlet"),
            ("  Così fan tutte!", "cosi-fan-tutte"),
            ("Don't Look Back", "dont-look-back"),
            ("Groß & Łódź: 2 Abende", "gross-lodz-2-abende"),
            ("Вишнёвый сад", "vishniovyi-sad"),
            ("조용한 기계들", "joyonghan-gigyedeul"),
            ("さくら", "sakura"),
            ("…", "show"),
            ("", "show"),
        ] {
            assert_eq!(name_of(title), name, "{title}");
        }
    }

    #[test]
    fn a_name_ends_with_a_whole_word() {
        let name = name_of(&"seventeen ".repeat(12));
        assert_eq!(name, ["seventeen"; 7].join("-"));
        assert_eq!(name_of(&"x".repeat(120)).len(), CHARS_MAX);
        let two = |second: usize| name_of(&format!("{} {}", "x".repeat(37), "y".repeat(second)));
        assert_eq!((two(38).len(), two(39).len()), (CHARS_MAX, 37));
        assert!(names_of("x").iter().all(|name| name.len() <= 80));
        assert_eq!(names_of("x")[..3], ["x", "x-2", "x-3"]);
    }
}

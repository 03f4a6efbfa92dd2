//! Posters that are readable, short, and different.

use std::collections::HashSet;

use super::*;

const STYLES: &str = include_str!("../../../static/css/components.css");
/// Contrast that text needs, after WCAG.
const TEXT_CONTRAST: f64 = 4.5;
/// Longest drawing in bytes: a home page shows a dozen.
const ART_MAX: usize = 3_500;

/// Posters of programs made one after the other.
fn posters() -> impl Iterator<Item = Poster> {
    (1..=500).map(|number| Poster::of_program(number, &format!("show-{number}")))
}

/// Returns the colour of `name` in the rule of `class`, as red, green and blue.
fn colour(class: &str, name: &str) -> [f64; 3] {
    let (_, rule) = STYLES.split_once(&format!(".{class} {{ ")).expect(class);
    let (_, value) = rule.split_once(&format!("--poster-{name}: #")).expect(name);
    [0, 2, 4].map(|at| f64::from(u8::from_str_radix(&value[at..at + 2], 16).unwrap()) / 255.0)
}

fn luminance(colour: [f64; 3]) -> f64 {
    let [red, green, blue] = colour.map(|part| match part <= 0.04045 {
        true => part / 12.92,
        false => ((part + 0.055) / 1.055).powf(2.4),
    });
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

#[test]
fn a_title_can_be_read_on_the_ground_of_every_palette() {
    let numbered = (1..=PALETTES).map(|number| format!("poster--{number}"));
    for class in numbered.chain(["poster--off".to_owned()]) {
        let mut tones = ["ground", "ink"].map(|name| luminance(colour(&class, name)));
        tones.sort_by(f64::total_cmp);
        let [dark, light] = tones;
        let contrast = (light + 0.05) / (dark + 0.05);
        assert!(contrast >= TEXT_CONTRAST, "{class}: {contrast:.2}");
    }
}

#[test]
fn no_two_of_five_hundred_programs_have_the_same_art() {
    let arts: HashSet<Art> = posters().map(|poster| poster.art).collect();
    assert_eq!(arts.len(), posters().count());
}

#[test]
fn programs_made_one_after_the_other_differ_in_palette_and_composition() {
    let palettes: Vec<u32> = posters().map(|poster| poster.palette).collect();
    assert!(palettes.iter().all(|palette| (1..=PALETTES).contains(palette)));
    let together = usize::try_from(PALETTES.min(compositions::COMPOSITIONS)).unwrap();
    for palettes in palettes.windows(together) {
        let different: HashSet<&u32> = palettes.iter().collect();
        assert_eq!(different.len(), together, "{palettes:?}");
    }
    // The same seed, so that only the composition makes a difference.
    let arts: HashSet<String> = (0..compositions::COMPOSITIONS)
        .map(|number| compositions::draw(number, &mut PosterSeed::of("spring-voices")))
        .collect();
    assert_eq!(arts.len(), usize::try_from(compositions::COMPOSITIONS).unwrap());
}

#[test]
fn the_art_of_a_poster_is_short() {
    for poster in posters() {
        assert!(poster.art.0.len() <= ART_MAX, "{} bytes", poster.art.0.len());
    }
}

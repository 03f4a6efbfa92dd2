//! Colours: their contrast, as WCAG 2.2 measures it, and the shades of the office's colour.

use std::fmt::Write as _;

/// Lowest contrast of text with its ground (WCAG 2.2, 1.4.3).
pub(crate) const CONTRAST_MIN: f64 = 4.5;

/// Shares, in percent, by which a colour is mixed until it can be read: each is tried.
const STEP_PERCENT: usize = 5;
const WHOLE_PERCENT: u8 = 100;
/// Share of the colour in the wash, and of black or white in what is stronger than an accent, in percent.
const WASH_PERCENT: u8 = 12;
const STRONG_PERCENT: u8 = 25;

const BLACK: Colour = Colour([0; 3]);
const WHITE: Colour = Colour([0xff; 3]);

/// Grounds of light and of dark pages.
const LIGHT: Scheme = Scheme {
    grounds: [Colour([0xf5, 0xf7, 0xf5]), Colour([0xff, 0xff, 0xff]), Colour([0xe9, 0xee, 0xea])],
    readable: BLACK,
    on_accent: WHITE,
};
const DARK: Scheme = Scheme {
    grounds: [Colour([0x0e, 0x15, 0x12]), Colour([0x17, 0x20, 0x1c]), Colour([0x22, 0x2d, 0x28])],
    readable: WHITE,
    on_accent: Colour([0x0e, 0x15, 0x12]),
};

/// Colour of sRGB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour([u8; 3]);

impl Colour {
    /// Parses `#rrggbb`; `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#')?;
        let is_hex = digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        let bits = u32::from_str_radix(digits, 16).ok().filter(|_| is_hex)?;
        let [_, red, green, blue] = bits.to_be_bytes();
        Some(Self([red, green, blue]))
    }

    /// Writes the colour as `#rrggbb`.
    pub fn text(self) -> String {
        let mut text = "#".to_owned();
        for part in self.0 {
            let _ = write!(text, "{part:02x}");
        }
        text
    }

    /// Returns the relative luminance, from 0 (black) to 1 (white).
    fn luminance(self) -> f64 {
        let [red, green, blue] = self.0.map(|part| {
            let part = f64::from(part) / 255.0;
            if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        });
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    /// Returns the contrast with another colour, from 1 to 21.
    fn contrast(self, other: Self) -> f64 {
        let (one, other) = (self.luminance() + 0.05, other.luminance() + 0.05);
        one.max(other) / one.min(other)
    }

    /// Returns the lowest contrast with the colours `grounds`.
    fn lowest_contrast(self, grounds: &[Self]) -> f64 {
        grounds.iter().map(|ground| self.contrast(*ground)).fold(f64::INFINITY, f64::min)
    }

    /// Returns the colour with a share of another one, in percent.
    fn mixed(self, other: Self, percent: u8) -> Self {
        let (share, whole) = (u16::from(percent), u16::from(WHOLE_PERCENT));
        let mut mixed = self.0;
        for (own, other) in mixed.iter_mut().zip(other.0) {
            let sum = u16::from(*own) * whole.saturating_sub(share) + u16::from(other) * share;
            *own = u8::try_from((sum + whole / 2) / whole).unwrap_or(u8::MAX);
        }
        Self(mixed)
    }

    /// Returns the colour with as little of `readable` as makes it readable on all of `grounds`.
    fn readable_on(self, grounds: &[Self], readable: Self) -> Self {
        (0..=WHOLE_PERCENT)
            .step_by(STEP_PERCENT)
            .map(|percent| self.mixed(readable, percent))
            .find(|shade| shade.lowest_contrast(grounds) >= CONTRAST_MIN)
            .unwrap_or(readable)
    }
}

/// Pages on a light or on a dark ground.
#[derive(Clone, Copy, Debug)]
struct Scheme {
    /// `--paper`, `--surface` and `--sunken` of `tokens.css`.
    grounds: [Colour; 3],
    /// Colour that can be read on each ground.
    readable: Colour,
    /// Text on the accent.
    on_accent: Colour,
}

/// Shades of one colour in which everything can be read, for one scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shades {
    /// Ground of buttons, and the text of links.
    pub accent: Colour,
    strong: Colour,
    /// Text on the accent.
    pub(crate) on_accent: Colour,
    wash: Colour,
    on_wash: Colour,
}

impl Shades {
    /// Returns the shades of `colour` on light pages.
    pub(crate) fn light(colour: Colour) -> Self {
        Self::of(colour, LIGHT)
    }

    /// Returns the shades of `colour` on dark pages.
    pub(crate) fn dark(colour: Colour) -> Self {
        Self::of(colour, DARK)
    }

    fn of(colour: Colour, scheme: Scheme) -> Self {
        let Scheme { grounds: [paper, surface, sunken], readable, on_accent } = scheme;
        let wash = surface.mixed(colour, WASH_PERCENT);
        let accent = colour.readable_on(&[paper, surface, sunken, wash], readable);
        let strong = accent.mixed(readable, STRONG_PERCENT);
        Self { accent, strong, on_accent, wash, on_wash: strong }
    }

    /// Returns the custom properties of `tokens.css` that the shades replace.
    fn properties(self) -> String {
        let Self { accent, strong, on_accent, wash, on_wash } = self;
        let properties = [
            ("accent", accent),
            ("accent-strong", strong),
            ("on-accent", on_accent),
            ("accent-wash", wash),
            ("on-accent-wash", on_wash),
            ("focus", accent),
            // Beside a colour of its own an office needs no second one.
            ("velvet", accent),
        ];
        properties.map(|(name, colour)| format!("--{name}:{};", colour.text())).concat()
    }
}

/// Returns the stylesheet that overrides the shades of `tokens.css` by the shades of `colour`.
pub fn stylesheet(colour: Colour) -> String {
    format!(
        "@layer tokens{{:root{{{}}}@media (prefers-color-scheme:dark){{:root{{{}}}}}}}",
        Shades::light(colour).properties(),
        Shades::dark(colour).properties(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn colour(text: &str) -> Colour {
        Colour::parse(text).unwrap()
    }

    #[test]
    fn contrast_is_that_of_wcag() {
        let told = |one, other| format!("{:.2}", colour(one).contrast(colour(other)));
        assert_eq!(told("#000000", "#ffffff"), "21.00");
        assert_eq!(told("#777777", "#ffffff"), "4.48");
        assert_eq!(told("#0c5f47", "#0c5f47"), "1.00");
    }

    #[test]
    fn a_colour_is_six_digits() {
        assert_eq!(Colour::parse("#0C5f47").map(Colour::text), Some("#0c5f47".to_owned()));
        for text in ["0c5f47", "#0c5f4", "#0c5f477", "#+c5f47", "red", "", "#0c5f4g"] {
            assert_eq!(Colour::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn everything_can_be_read_whatever_the_colour() {
        let parts = [0, 0x33, 0x66, 0x99, 0xcc, 0xff];
        let colours = parts.iter().flat_map(|red| {
            parts.iter().flat_map(move |green| parts.map(|blue| Colour([*red, *green, blue])))
        });
        for colour in colours {
            for scheme in [LIGHT, DARK] {
                let Shades { accent, strong, on_accent, wash, on_wash } =
                    Shades::of(colour, scheme);
                let grounds = scheme.grounds.iter().chain([&wash]).copied().collect::<Vec<_>>();
                let pairs = [
                    ("an accent", accent.lowest_contrast(&grounds)),
                    ("what is stronger", strong.lowest_contrast(&grounds)),
                    ("a button", on_accent.lowest_contrast(&[accent, strong])),
                    ("a wash", on_wash.contrast(wash)),
                ];
                for (pair, contrast) in pairs {
                    assert!(contrast >= CONTRAST_MIN, "{pair} of {colour:?}: {contrast}");
                }
            }
        }
    }

    #[test]
    fn a_colour_that_can_be_read_stays_as_it_is() {
        assert_eq!(Shades::light(colour("#0c5f47")).accent, colour("#0c5f47"));
        assert_eq!(Shades::dark(colour("#6fd0ab")).accent, colour("#6fd0ab"));
    }

    #[test]
    fn the_grounds_are_those_of_the_tokens() {
        let tokens = include_str!("../../static/css/tokens.css");
        let names = ["paper", "surface", "sunken"];
        for (ground, name) in
            [LIGHT, DARK].iter().flat_map(|scheme| scheme.grounds.iter().zip(names))
        {
            let token = format!("--{name}: {};", ground.text());
            assert!(tokens.contains(&token), "{token}");
        }
    }
}

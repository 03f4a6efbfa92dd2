//! Pages as a browser without scripts reads them.

use scraper::{Html, Selector};

use super::Answer;

impl Answer {
    /// Counts the elements that a CSS selector matches.
    pub fn count(&self, selector: &str) -> usize {
        self.page().select(&parsed(selector)).count()
    }

    /// Whether a CSS selector matches any element.
    pub fn has(&self, selector: &str) -> bool {
        self.count(selector) > 0
    }

    /// Returns an attribute of the first element that a CSS selector matches.
    pub fn attribute(&self, selector: &str, name: &str) -> String {
        let page = self.page();
        let element = page.select(&parsed(selector)).next();
        let value = element.and_then(|element| element.value().attr(name));
        value.unwrap_or_else(|| panic!("no {name} at {selector}: {}", self.body)).to_owned()
    }

    /// Lists an attribute of the elements that a CSS selector matches and that have it.
    pub fn attributes(&self, selector: &str, name: &str) -> Vec<String> {
        let page = self.page();
        let selector = parsed(selector);
        let found = page.select(&selector).filter_map(|element| element.value().attr(name));
        found.map(str::to_owned).collect()
    }

    /// Returns the texts of the elements that a CSS selector matches, their words one blank apart.
    pub fn texts(&self, selector: &str) -> Vec<String> {
        let page = self.page();
        let selector = parsed(selector);
        let texts = page.select(&selector).map(|element| element.text().collect::<String>());
        texts.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
    }

    /// Returns the inputs and texts of the first form that a CSS selector matches, as a browser sends them.
    pub fn form(&self, selector: &str) -> Vec<(String, String)> {
        let page = self.page();
        let form = page.select(&parsed(selector)).next().unwrap_or_else(|| panic!("{}", self.body));
        let selector = parsed("input[name], textarea[name]");
        let fields = form.select(&selector).filter_map(|field| {
            let (field, attribute) = (field, |name| field.value().attr(name));
            let is_box = matches!(attribute("type"), Some("checkbox" | "radio"));
            let unsaid = || if is_box { "on".to_owned() } else { field.text().collect() };
            let value = attribute("value").map_or_else(unsaid, str::to_owned);
            (!is_box || attribute("checked").is_some())
                .then(|| (attribute("name").unwrap().to_owned(), value))
        });
        fields.collect()
    }

    fn page(&self) -> Html {
        // The parser takes what stands in `noscript` for text, as a browser with scripts does.
        Html::parse_document(&self.body.replace("<noscript>", "").replace("</noscript>", ""))
    }
}

fn parsed(selector: &str) -> Selector {
    Selector::parse(selector).unwrap()
}

/// Fails where a page tells an amount in points, or an amount without its currency.
pub fn expect_money(path: &str, text: &str) {
    for (at, _) in text.match_indices(" point") {
        let is_amount = text[..at].ends_with(|sign: char| sign.is_ascii_digit());
        assert!(!is_amount, "{path}: an amount of points in {text}");
    }
    let chars: Vec<char> = text.chars().collect();
    for (at, _) in chars.iter().enumerate().filter(|(_, sign)| **sign == ',') {
        let digits = |from: usize| chars[from..].iter().take_while(|c| c.is_ascii_digit()).count();
        let before = chars[..at].iter().rev().take_while(|c| c.is_ascii_digit() || **c == ',');
        let first = at - before.count();
        if digits(at + 1) < 3 || first == at {
            continue;
        }
        let sign = first.checked_sub(1).map(|at| chars[at]);
        let is_told = matches!(sign, Some('\u{20a9}' | '\u{2013}'));
        assert!(
            is_told,
            "{path}: {}",
            chars[first.saturating_sub(30)..at + 4].iter().collect::<String>()
        );
    }
}

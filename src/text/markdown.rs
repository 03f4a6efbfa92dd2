//! Text that organisers write in Markdown, as HTML.
//!
//! Paragraphs, emphasis, lists, quotations and links are kept. A heading of any rank becomes one below the
//! page's headings, a line break stays one, and markup of HTML is shown as it was typed. A link leads to
//! `https:`, `http:` or `mailto:`; other links, and pictures, keep only their text.

use std::fmt;

use askama::filters::HtmlSafe;
use pulldown_cmark::{Event, HeadingLevel, Parser, Tag, TagEnd, html};

/// Rank of all headings of a text that stands in a section of a page.
const HEADING: HeadingLevel = HeadingLevel::H3;
/// Rank of all headings of a text that is a page.
const PAGE_HEADING: HeadingLevel = HeadingLevel::H2;
/// Beginnings of addresses that links lead to.
const SCHEMES: [&str; 3] = ["https:", "http:", "mailto:"];

/// Text that is written as HTML in templates.
#[derive(Clone, Copy, Debug)]
pub struct Markdown<'a>(pub &'a str);

impl HtmlSafe for Markdown<'_> {}

impl fmt::Display for Markdown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        html::write_html_fmt(f, self.events(HEADING))
    }
}

/// Text that is a page of its own, below the title: it has headings of the rank below that.
#[derive(Clone, Copy, Debug)]
pub struct PageText<'a>(pub &'a str);

impl HtmlSafe for PageText<'_> {}

impl fmt::Display for PageText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        html::write_html_fmt(f, Markdown(self.0).events(PAGE_HEADING))
    }
}

impl<'a> Markdown<'a> {
    /// Returns the text without markup, in one line.
    pub fn plain(&self) -> String {
        let words = self.events(HEADING).map(|event| match event {
            Event::Text(text) | Event::Code(text) => text.into_string(),
            Event::Start(Tag::Strong | Tag::Emphasis | Tag::Link { .. })
            | Event::End(TagEnd::Strong | TagEnd::Emphasis | TagEnd::Link) => String::new(),
            _ => " ".to_owned(),
        });
        words.collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Returns what of the text is kept, with headings of one rank.
    fn events(&self, rank: HeadingLevel) -> impl Iterator<Item = Event<'a>> {
        // Whether each link that is open is kept.
        let mut links = Vec::new();
        Parser::new(self.0).filter_map(move |event| match event {
            Event::Html(text) | Event::InlineHtml(text) => Some(Event::Text(text)),
            Event::Start(Tag::HtmlBlock) => Some(Event::Start(Tag::Paragraph)),
            Event::End(TagEnd::HtmlBlock) => Some(Event::End(TagEnd::Paragraph)),
            Event::Start(Tag::Heading { .. }) => Some(Event::Start(heading(rank))),
            Event::End(TagEnd::Heading(_)) => Some(Event::End(heading(rank).to_end())),
            Event::SoftBreak => Some(Event::HardBreak),
            Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => None,
            Event::Start(Tag::Link { ref dest_url, .. }) => {
                let is_kept = leads_out(dest_url);
                links.push(is_kept);
                is_kept.then_some(event)
            }
            Event::End(TagEnd::Link) => links.pop().unwrap_or(false).then_some(event),
            kept => Some(kept),
        })
    }
}

fn heading(level: HeadingLevel) -> Tag<'static> {
    Tag::Heading { level, id: None, classes: Vec::new(), attrs: Vec::new() }
}

fn leads_out(address: &str) -> bool {
    let address = address.to_ascii_lowercase();
    SCHEMES.iter().any(|scheme| address.starts_with(scheme))
}

#[cfg(test)]
mod tests {
    use super::Markdown;

    #[test]
    fn what_is_typed_is_shown_and_runs_nothing() {
        for (typed, shown) in [
            ("A **great**\nevening", "<p>A <strong>great</strong><br />\nevening</p>\n"),
            ("# Cast\n\n- Ada", "<h3>Cast</h3>\n<ul>\n<li>Ada</li>\n</ul>\n"),
            ("<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n"),
            ("a <b onclick=x>b</b>", "<p>a &lt;b onclick=x&gt;b&lt;/b&gt;</p>\n"),
            ("[x](https://a.example)", "<p><a href=\"https://a.example\">x</a></p>\n"),
            ("[x](javascript:alert(1))", "<p>x</p>\n"),
            ("[x](JaVaScript:alert(1)) [y](/logout)", "<p>x y</p>\n"),
            ("[x](//a.example)", "<p>x</p>\n"),
            ("![a hall](https://a.example/b.png)", "<p>a hall</p>\n"),
            (
                "[a [b](https://a.example) c](data:x)",
                "<p>[a <a href=\"https://a.example\">b</a> c](data:x)</p>\n",
            ),
            ("", ""),
        ] {
            assert_eq!(Markdown(typed).to_string(), shown, "{typed}");
        }
    }

    #[test]
    fn a_summary_has_no_markup() {
        let typed =
            "## Cast\n\n*Ada*, **Bob**\nand [Eve](https://a.example)\n\n1. <b>one</b>\n2. `two`";
        assert_eq!(Markdown(typed).plain(), "Cast Ada, Bob and Eve <b>one</b> two");
    }
}

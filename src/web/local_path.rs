//! Redirect targets within this site.

use std::fmt;

use url::Url;

/// Path and query within this site, safe in a `Location` header.
///
/// Parsed once, where it comes in: a link to this site with a forged `next` must not lead to
/// another site, split a header, or fail after the work was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalPath(String);

impl LocalPath {
    /// Upper bound in bytes; no address of this site with its query is longer.
    const BYTES_MAX: usize = 2_000;

    /// Returns `text` if it is a path of this site; `None` otherwise.
    pub fn parse(text: &str) -> Option<Self> {
        let is_plain = text.len() <= Self::BYTES_MAX
            && text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\')
            && !has_escaped_control(text);
        if !is_plain || !text.starts_with('/') || text.starts_with("//") {
            return None;
        }
        // The URL parser resolves dot segments as a browser does; the result must keep this origin
        // and must not begin with `//`.
        let here = Url::parse("http://here.invalid/").ok()?;
        let there = here.join(text).ok()?;
        let stays = there.origin() == here.origin() && !there.path().starts_with("//");
        stays.then(|| Self(text.to_owned()))
    }

    /// Returns the start page, `/`.
    pub fn start() -> Self {
        Self("/".to_owned())
    }

    /// Returns `text` if it is a path of this site, else the start page.
    pub fn or_start(text: &str) -> Self {
        Self::parse(text).unwrap_or_else(Self::start)
    }

    /// Returns the path as it appears in a header or a link.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for LocalPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Returns the address of the page `path`, with `next` as the page that it leads on to.
pub fn with_next(path: &str, next: &str) -> String {
    let query =
        url::form_urlencoded::Serializer::new(String::new()).append_pair("next", next).finish();
    format!("{path}?{query}")
}

/// Whether `text` contains a percent-encoded control character, which a proxy may decode.
fn has_escaped_control(text: &str) -> bool {
    text.match_indices('%').any(|(idx, _)| {
        let digits = text.get(idx + 1..idx + 3).unwrap_or_default();
        u8::from_str_radix(digits, 16).is_ok_and(|byte| byte.is_ascii_control())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_redirect_stays_on_our_site() {
        for ours in ["/", "/wallet?page=2", "/programs/a-b#seats", "/programs/x?a=%EC%9D%84&b=%20"]
        {
            assert_eq!(LocalPath::parse(ours).unwrap().as_str(), ours);
        }
        let long = format!("/{}", "a".repeat(LocalPath::BYTES_MAX));
        for foreign in [
            "",
            "wallet",
            "//evil.example",
            "///evil.example",
            "https://evil.example",
            "/\\evil.example",
            "\\\\evil.example",
            "/..//evil.example",
            "/.//evil.example",
            "/a/..//evil.example",
            "/%2e%2e//evil.example",
            "/\t/evil.example",
            "/a\r\nset-cookie: b=c",
            "/a\u{7f}b",
            "/a\u{1}b",
            "/a\0",
            "/a b",
            "/%0d%0aset-cookie:%20b=c",
            "/%00",
            "/%7F",
            "/wallet?page=%00",
            "/을",
            " /wallet",
            "javascript:alert(1)",
            long.as_str(),
        ] {
            assert_eq!(LocalPath::parse(foreign), None, "{foreign:?}");
            assert_eq!(LocalPath::or_start(foreign).as_str(), "/", "{foreign:?}");
        }
    }

    #[test]
    fn a_page_that_leads_on_carries_the_next_one_whole() {
        let next = LocalPath::parse("/programs/x?a=1&b=%20#seats").unwrap();
        let address = with_next("/login", &next.to_string());
        assert_eq!(address, "/login?next=%2Fprograms%2Fx%3Fa%3D1%26b%3D%2520%23seats");
        let query = url::form_urlencoded::parse(address.split_once('?').unwrap().1.as_bytes());
        assert_eq!(query.last().unwrap().1, next.as_str());
    }
}

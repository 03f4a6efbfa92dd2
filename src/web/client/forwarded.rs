//! Hops that proxies name: `X-Forwarded-For`, and the standard header `Forwarded` (RFC 7239).
//!
//! A **hop** is the address that one proxy saw. Each proxy adds its hop at the end, so a list is read
//! from its end, and only as far as the hops before are trusted. Where a request has both headers,
//! `X-Forwarded-For` counts: a proxy that writes `Forwarded` removes the other.

use std::net::{IpAddr, SocketAddr};

use actix_web::http::header::HeaderMap;

const X_FORWARDED_FOR: &str = "x-forwarded-for";
const FORWARDED: &str = "forwarded";

/// Whether a request names hops.
pub(super) fn is_present(headers: &HeaderMap) -> bool {
    headers.contains_key(X_FORWARDED_FOR) || headers.contains_key(FORWARDED)
}

/// Returns the hops that a request names, the nearest first; `None` for one that is hidden
/// (`unknown`, `_name`) or cannot be read.
pub fn hops(headers: &HeaderMap) -> Vec<Option<IpAddr>> {
    let is_listed = headers.contains_key(X_FORWARDED_FOR);
    let read: fn(&str) -> Vec<Option<IpAddr>> = if is_listed { list_of } else { elements_of };
    let lines = headers.get_all(if is_listed { X_FORWARDED_FOR } else { FORWARDED });
    let mut hops: Vec<Option<IpAddr>> =
        lines.flat_map(|line| line.to_str().map_or_else(|_| vec![None], read)).collect();
    hops.reverse();
    hops
}

/// Reads a line of `X-Forwarded-For`. Empty members mean nothing, as in any list of a header.
fn list_of(line: &str) -> Vec<Option<IpAddr>> {
    line.split(',').map(str::trim).filter(|hop| !hop.is_empty()).map(node).collect()
}

/// Reads a line of `Forwarded`; a line with a quotation that is wrong is one hop that cannot be read,
/// because its writer decides where the other hops end.
fn elements_of(line: &str) -> Vec<Option<IpAddr>> {
    let Some(elements) = split(line, ',') else { return vec![None] };
    let elements = elements.into_iter().filter(|element| !element.trim().is_empty());
    elements.map(|element| for_of(&element)).collect()
}

/// Returns the address of an element's `for`; `None` without exactly one.
fn for_of(element: &str) -> Option<IpAddr> {
    let mut found = None;
    for pair in split(element, ';')? {
        let Some((name, value)) = pair.split_once('=') else { continue };
        if name.trim().eq_ignore_ascii_case("for")
            && found.replace(value.trim().to_owned()).is_some()
        {
            return None;
        }
    }
    node(&found?)
}

/// Splits `text` at each `separator` outside quotations; `None` where a quotation has no end.
fn split(text: &str, separator: char) -> Option<Vec<String>> {
    let (mut parts, mut is_quoted, mut is_escaped) = (vec![String::new()], false, false);
    for c in text.chars() {
        let is_separator = c == separator && !is_quoted;
        if is_separator {
            parts.push(String::new());
        } else if let Some(part) = parts.last_mut() {
            part.push(c);
        }
        if c == '"' && !is_escaped {
            is_quoted = !is_quoted;
        }
        is_escaped = is_quoted && c == '\\' && !is_escaped;
    }
    (!is_quoted).then_some(parts)
}

/// Reads an address with or without a port, in brackets or not, quoted or not.
fn node(text: &str) -> Option<IpAddr> {
    let text = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(text);
    let bare = || text.strip_prefix('[')?.strip_suffix(']')?.parse().ok().map(IpAddr::V6);
    let address = text.parse::<IpAddr>().ok().or_else(bare);
    let address = address.or_else(|| text.parse::<SocketAddr>().ok().map(|node| node.ip()));
    // Ports may be hidden, too: `192.0.2.7:_client`.
    let address = address.or_else(|| {
        let (node, port) = text.rsplit_once(':')?;
        let node = node.strip_prefix('[').and_then(|node| node.strip_suffix(']')).unwrap_or(node);
        port.starts_with('_').then(|| node.parse().ok()).flatten()
    });
    address.map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::{HeaderName, HeaderValue};

    use super::*;

    fn read(name: &'static str, lines: &[&[u8]]) -> Vec<String> {
        let mut headers = HeaderMap::new();
        for line in lines {
            let value = HeaderValue::from_bytes(line).unwrap();
            headers.append(HeaderName::from_static(name), value);
        }
        let shown = |hop: &Option<IpAddr>| hop.map_or("-".to_owned(), |hop| hop.to_string());
        hops(&headers).iter().map(shown).collect()
    }

    #[test]
    fn addresses_are_read_as_proxies_write_them() {
        for (line, nearest_first) in [
            ("192.0.2.7", vec!["192.0.2.7"]),
            ("192.0.2.7:52044", vec!["192.0.2.7"]),
            ("2001:db8::1", vec!["2001:db8::1"]),
            ("[2001:db8::1]", vec!["2001:db8::1"]),
            ("[2001:db8::1]:443", vec!["2001:db8::1"]),
            ("::ffff:192.0.2.7", vec!["192.0.2.7"]),
            ("\"192.0.2.7:52044\"", vec!["192.0.2.7"]),
            ("203.0.113.9, 192.0.2.7:1 ,10.0.0.2", vec!["10.0.0.2", "192.0.2.7", "203.0.113.9"]),
            ("192.0.2.7,, ,", vec!["192.0.2.7"]),
            ("192.0.2.7, unknown", vec!["-", "192.0.2.7"]),
            ("192.0.2.7:port", vec!["-"]),
            ("192.0.2.7:99999", vec!["-"]),
            ("[2001:db8::1]443", vec!["-"]),
            ("<script>", vec!["-"]),
            ("", vec![]),
        ] {
            assert_eq!(read(X_FORWARDED_FOR, &[line.as_bytes()]), nearest_first, "{line}");
        }
        let lines = [&b"203.0.113.9"[..], b"\xff", b"192.0.2.7"];
        assert_eq!(read(X_FORWARDED_FOR, &lines), ["192.0.2.7", "-", "203.0.113.9"]);
    }

    #[test]
    fn the_standard_header_is_read_and_a_quotation_hides_no_hop() {
        for (line, nearest_first) in [
            ("for=192.0.2.7", vec!["192.0.2.7"]),
            ("For=\"192.0.2.7:47011\"", vec!["192.0.2.7"]),
            ("for=\"[2001:db8:cafe::17]:4711\"", vec!["2001:db8:cafe::17"]),
            ("for=192.0.2.7;proto=http;by=203.0.113.43", vec!["192.0.2.7"]),
            ("proto=https; host=evil.example ;FOR=192.0.2.7", vec!["192.0.2.7"]),
            ("for=192.0.2.7, for=198.51.100.17;by=10.0.0.1", vec!["198.51.100.17", "192.0.2.7"]),
            ("for=\"192.0.2.7:_gazonk\"", vec!["192.0.2.7"]),
            ("for=unknown, for=_hidden, for=192.0.2.7", vec!["192.0.2.7", "-", "-"]),
            ("by=203.0.113.43", vec!["-"]),
            ("for=192.0.2.7;for=198.51.100.17", vec!["-"]),
            // A visitor who begins a quotation does not swallow what the proxy adds.
            ("for=\"1.1.1.1, for=192.0.2.7", vec!["-"]),
            ("for=\"x\\\", for=\"[2001:db8::1]:443\"", vec!["-"]),
            ("for=\"a, for=1.1.1.1;x=\", for=192.0.2.7", vec!["192.0.2.7", "-"]),
            ("garbage", vec!["-"]),
        ] {
            assert_eq!(read(FORWARDED, &[line.as_bytes()]), nearest_first, "{line}");
        }
        assert_eq!(read(FORWARDED, &[b"for=\"1.1.1.1", b"for=192.0.2.7"]), ["192.0.2.7", "-"]);
    }
}

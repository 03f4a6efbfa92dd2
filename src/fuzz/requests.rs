//! Targets of requests: bodies, headers and addresses that any client may send.

use std::{collections::BTreeMap, net::IpAddr};

use actix_web::{
    FromRequest, HttpRequest,
    dev::Payload,
    http::header::{HeaderMap, HeaderName, HeaderValue},
    test::TestRequest,
    web::Bytes,
};
use futures_util::FutureExt;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use uuid::Uuid;

use super::{check, text};
use crate::{
    accounts::AccountId,
    reservation::hold::pages::form::HoldForm,
    text::i18n::Locale,
    tickets::{TicketCode, hand_over::pages::form::HandOverForm},
    wallet::{charges::pages::form::ChargeForm, transfers::pages::form::TransferForm},
    web::{
        bearer,
        client::{self, forwarded::hops},
        cookies::pass_cookies,
        flash,
        form::{Body, Fields},
        local_path::LocalPath,
        negotiation::Format,
        page::View,
        request_key::HeaderKey,
    },
    webhooks::target,
};

const FORM: &str = "application/x-www-form-urlencoded";
const JSON: &str = "application/json";
const MULTIPART: &str = "multipart/form-data; boundary=x";

/// Returns the parsed body; `None` if it is refused.
fn read<T: DeserializeOwned + JsonSchema + 'static>(content_type: &str, body: &[u8]) -> Option<T> {
    let request =
        TestRequest::post().insert_header(("content-type", content_type)).to_http_request();
    let mut payload = Payload::from(Bytes::copy_from_slice(body));
    let read = Body::<T>::from_request(&request, &mut payload).now_or_never();
    read.expect("the whole body is there").ok().map(|body| body.0)
}

#[test]
fn a_body_is_read_or_refused_in_every_coding() {
    check(bolero::check!(), |bytes| {
        for content_type in [FORM, JSON, MULTIPART] {
            let fields = read::<BTreeMap<String, Fields>>(content_type, bytes);
            let n_fields = fields
                .iter()
                .flat_map(BTreeMap::values)
                .map(|fields| fields.0.len())
                .sum::<usize>();
            assert!(n_fields <= bytes.len());
            let me = AccountId(Uuid::from_u128(1));
            let _ = read::<HoldForm>(content_type, bytes).map(|form| form.parse());
            let _ = read::<ChargeForm>(content_type, bytes).map(|form| form.parse(me));
            let _ = read::<TransferForm>(content_type, bytes)
                .map(|form| form.parse(me, Locale::default()));
            let _ = read::<HandOverForm>(content_type, bytes)
                .map(|form| form.parse(me, TicketCode::generate(), Locale::default()));
        }
    });
}

/// Each line of an input is the value of one header.
#[test]
fn headers_choose_among_what_there_is() {
    const NAMES: [&str; 8] = [
        "accept",
        "accept-language",
        "cookie",
        "idempotency-key",
        "x-forwarded-for",
        "authorization",
        "referer",
        "user-agent",
    ];
    let trusted = ["10.0.0.0/8".parse().unwrap()];
    check(bolero::check!(), |bytes| {
        let mut request = TestRequest::get().peer_addr("192.0.2.1:4711".parse().unwrap());
        for (name, value) in NAMES.iter().zip(bytes.split(|byte| *byte == b'\n')) {
            if let Ok(value) = HeaderValue::from_bytes(value) {
                request = request.insert_header((*name, value));
            }
        }
        let request: HttpRequest = request.to_http_request();
        let view = View::of(&request);
        assert!(["en", "ko", "ja"].contains(&view.locale.tag()));
        let _ = (
            Format::of(&request),
            bearer::token_of(&request),
            HeaderKey::extract(&request).now_or_never(),
        );
        if let Some(key) = flash::of(&request) {
            assert!(key.starts_with("flash-"));
            let _ = view.flash().map(|text| text.to_string());
        }
        assert!(pass_cookies::shown(&request, false).len() <= 64);
        assert_eq!(client::address(&request, &trusted).to_string(), "192.0.2.1");
    });
}

#[test]
fn a_redirect_stays_on_this_site_and_a_target_outside_of_this_network() {
    check(bolero::check!(), |bytes| {
        let sent = text(bytes);
        if let Some(path) = LocalPath::parse(&sent) {
            assert!(HeaderValue::from_str(path.as_str()).is_ok());
            let here = url::Url::parse("https://tickets.example/a/b").unwrap();
            let there = here.join(path.as_str()).unwrap();
            assert_eq!(there.origin(), here.origin());
            // A browser that follows the redirect, and resolves the path again, stays, too.
            let again = here.join(there.path()).unwrap();
            assert_eq!(again.origin(), here.origin());
        }
        if let Ok(url) = target::parse(&sent, false) {
            assert_eq!(url.scheme(), "https");
            let address = match url.host().unwrap() {
                url::Host::Ipv4(address) => Some(address.into()),
                url::Host::Ipv6(address) => Some(address.into()),
                url::Host::Domain(name) => {
                    assert!(name.contains('.'), "{name}");
                    None
                }
            };
            assert!(address.is_none_or(target::is_public), "{url}");
        }
    });
}

/// Each line of an input is a line of the header, as a client sends it; a proxy adds the address that it saw.
#[test]
fn a_client_says_nothing_about_the_hop_that_a_proxy_adds() {
    let proxy: IpAddr = "192.0.2.7".parse().unwrap();
    let read = |name: &'static str, lines: &[Vec<u8>]| {
        let mut headers = HeaderMap::new();
        for line in lines.iter().filter_map(|line| HeaderValue::from_bytes(line).ok()) {
            headers.append(HeaderName::from_static(name), line);
        }
        hops(&headers)
    };
    check(bolero::check!(), |bytes| {
        for (name, added) in
            [("x-forwarded-for", "192.0.2.7"), ("forwarded", "for=192.0.2.7;proto=https")]
        {
            let sent: Vec<Vec<u8>> = bytes.split(|byte| *byte == b'\n').map(Vec::from).collect();
            let of_client = read(name, &sent);
            assert!(of_client.len() <= bytes.len() + 1);
            for hop in of_client.iter().flatten() {
                assert_eq!(*hop, hop.to_canonical());
                let shown = hop.to_string().into_bytes();
                assert_eq!(read("x-forwarded-for", &[shown]), [Some(*hop)]);
            }
            // In a line of its own.
            let mut lines = sent.clone();
            lines.push(added.into());
            let seen = read(name, &lines);
            assert_eq!(seen.first(), Some(&Some(proxy)));
            assert_eq!(seen.get(1..), Some(of_client.as_slice()));
            // Behind the client's text: a line that cannot be divided gives no address.
            let mut lines = sent;
            if let Some(last) =
                lines.last_mut().filter(|last| HeaderValue::from_bytes(last).is_ok())
            {
                last.extend_from_slice(format!(", {added}").as_bytes());
                let nearest = read(name, &lines).first().copied();
                assert!([Some(Some(proxy)), Some(None)].contains(&nearest), "{nearest:?}");
            }
        }
    });
}

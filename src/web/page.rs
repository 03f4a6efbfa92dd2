//! A page as one person sees it, and the ways to answer.

use actix_web::{
    FromRequest, HttpMessage, HttpRequest, HttpResponse,
    dev::Payload,
    http::{StatusCode, header},
};
use askama::Template;
use chrono::{DateTime, Utc};
use serde::Serialize;
use std::future::{Ready, ready};

use super::{
    assets,
    error::{HttpError, phrase},
    flash,
    form::Mistakes,
    language::locale_of,
    local_path::LocalPath,
    negotiation::Format,
};
use crate::text::{
    i18n::{Count, Locale, Phrase, grouped},
    times,
};

/// Who is signed in, as the page's header shows it. The session extractor leaves it
/// in the request, so that an error page still knows.
#[derive(Clone, Debug)]
pub struct SignedIn {
    /// The account's name.
    pub name: String,
    /// Whether the door is for them.
    pub is_staff: bool,
    /// Whether the management pages are for them.
    pub is_admin: bool,
    /// How many people wait for them to take points.
    pub requests_waiting: i64,
}

/// A link of the page's header.
#[derive(Clone, Debug)]
pub struct Link {
    /// Where it leads.
    pub href: &'static str,
    /// What it says.
    pub label: Phrase,
    /// Whether it leads to this page.
    pub is_current: bool,
    /// How many things wait there for an answer.
    pub waiting: i64,
}

/// What every page is rendered with; templates call it `v`.
#[derive(Clone, Debug)]
pub struct View {
    /// The language.
    pub locale: Locale,
    /// Path and query of the page, to come back to; of a form that was sent, the page it
    /// stood on.
    pub path: String,
    /// What the caller reads.
    pub format: Format,
    /// Who is signed in, where the handler asked.
    pub account: Option<SignedIn>,
    flash: Option<String>,
}

impl FromRequest for View {
    type Error = std::convert::Infallible;
    type Future = Ready<Result<Self, Self::Error>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Ok(Self::of(request)))
    }
}

impl View {
    /// The view of whoever sent `request`.
    pub fn of(request: &HttpRequest) -> Self {
        Self {
            locale: locale_of(request),
            path: page_of(request),
            format: Format::of(request),
            account: request.extensions().get::<SignedIn>().cloned(),
            flash: flash::of(request),
        }
    }

    /// The text named `key`.
    pub fn t(&self, key: &'static str) -> Phrase {
        self.locale.text(key)
    }

    /// The text named `key`, chosen at run time.
    pub fn text(&self, key: impl Into<String>) -> Phrase {
        self.locale.text(key.into())
    }

    /// A number, grouped by thousands.
    pub fn number(&self, value: impl std::fmt::Display) -> String {
        grouped(value)
    }

    /// A moment on the clock of the zone named `zone`.
    pub fn moment(&self, moment: &DateTime<Utc>, zone: &str) -> String {
        times::in_full(*moment, times::zone(zone), self.locale)
    }

    /// A moment for scripts: RFC 3339 in UTC.
    pub fn instant(&self, moment: &DateTime<Utc>) -> String {
        times::rfc3339(*moment)
    }

    /// Where a browser finds the asset `name`.
    pub fn asset(&self, name: &str) -> String {
        assets::href(name)
    }

    /// The message left by the step before, once.
    pub fn flash(&self) -> Option<Phrase> {
        self.flash.clone().map(|key| self.text(key))
    }

    /// The languages to switch to.
    pub fn other_locales(&self) -> impl Iterator<Item = Locale> {
        let current = self.locale;
        Locale::ALL.into_iter().filter(move |locale| *locale != current)
    }

    /// So many points.
    pub fn points(&self, points: impl Count) -> Phrase {
        self.t("points-amount").number("count", &points).number("points", &points)
    }

    /// Where to log in and come back from.
    pub fn login_href(&self) -> String {
        self.entrance("/login")
    }

    /// Where to sign up and come back from.
    pub fn signup_href(&self) -> String {
        self.entrance("/signup")
    }

    /// A page that leads back here; from one to the other of them, to where the first
    /// one was asked for.
    fn entrance(&self, page: &str) -> String {
        let (path, query) = self.path.split_once('?').unwrap_or((&self.path, ""));
        match path {
            "/login" | "/signup" if query.is_empty() => page.to_owned(),
            "/login" | "/signup" => format!("{page}?{query}"),
            _ => login_href(&self.path).replacen("/login", page, 1),
        }
    }

    /// Which of the drawn posters stands for `slug`.
    pub fn poster(&self, slug: &str) -> u32 {
        const POSTERS: u32 = 6;
        // FNV-1a: spreads names that differ in little.
        let hash = slug
            .bytes()
            .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
        (hash >> 16) % POSTERS + 1
    }

    /// The links of whoever is signed in.
    pub fn navigation(&self) -> impl Iterator<Item = Link> {
        const LINKS: [(&str, &str); 3] = [
            ("/reservations", "layout-reservations"),
            ("/tickets", "layout-tickets"),
            ("/wallet", "layout-wallet"),
        ];
        let account = self.account.as_ref();
        let requests_waiting = account.map_or(0, |account| account.requests_waiting);
        let door = account.filter(|account| account.is_staff).map(|_| ("/door", "layout-door"));
        let admin = account.filter(|account| account.is_admin).map(|_| ("/admin", "layout-admin"));
        LINKS.into_iter().chain(door).chain(admin).map(move |(href, label)| Link {
            href,
            label: self.t(label),
            is_current: self.path.starts_with(href),
            waiting: if href == "/wallet" { requests_waiting } else { 0 },
        })
    }

    /// What went wrong, as one paragraph beside a form.
    pub fn refusal(&self, fault: &dyn HttpError) -> String {
        phrase(self, fault, "detail").to_string()
    }

    /// Why fields were refused, one sentence after the other.
    pub fn reasons(&self, mistakes: &Mistakes) -> String {
        let reasons: Vec<String> =
            mistakes.reasons().map(|reason| self.t(reason).to_string()).collect();
        reasons.join(" ")
    }

    /// Whether a refusal comes back as the form it answers.
    pub fn wants_form(&self, fault: &dyn HttpError) -> bool {
        !self.format.is_for_programs() && fault.status().is_client_error()
    }

    /// A rendered page.
    pub fn html(&self, status: StatusCode, page: &impl Template) -> HttpResponse {
        match page.render() {
            Ok(body) => {
                let mut response = HttpResponse::build(status);
                response.content_type("text/html; charset=utf-8");
                response.insert_header((header::VARY, "Accept, Accept-Language, Cookie"));
                if self.flash.is_some() {
                    response.cookie(flash::removal());
                }
                response.body(body)
            }
            Err(error) => {
                tracing::error!(%error, "a page could not be rendered");
                HttpResponse::InternalServerError().finish()
            }
        }
    }

    /// A read's answer: the page, or the same as JSON.
    pub fn show(&self, page: &impl Template, document: &impl Serialize) -> HttpResponse {
        match self.format.is_for_programs() {
            true => json(StatusCode::OK, document),
            false => self.html(StatusCode::OK, page),
        }
    }

    /// A change's answer: programs read the resource, browsers go to `location`.
    pub fn done(
        &self,
        status: StatusCode,
        document: &impl Serialize,
        location: &str,
    ) -> HttpResponse {
        match self.format.is_for_programs() {
            true if status == StatusCode::NO_CONTENT => HttpResponse::NoContent().finish(),
            true => json(status, document),
            false => see_other(location),
        }
    }
}

/// The page that `request` asks for, or that it was sent from.
fn page_of(request: &HttpRequest) -> String {
    if request.method().is_safe() {
        return request.uri().path_and_query().map_or("/", |path| path.as_str()).to_owned();
    }
    let referer = request.headers().get(header::REFERER).and_then(|value| value.to_str().ok());
    let page = referer.and_then(|referer| url::Url::parse(referer).ok());
    let is_ours = |page: &url::Url| {
        let host = page.host_str().unwrap_or_default();
        let asked = request.connection_info().host().to_owned();
        asked == host || page.port().is_some_and(|port| asked == format!("{host}:{port}"))
    };
    let path = page.filter(is_ours).map(|page| page[url::Position::BeforePath..].to_owned());
    path.map_or_else(|| "/".to_owned(), |path| LocalPath::or_start(&path).to_string())
}

/// A JSON document.
pub fn json(status: StatusCode, document: &impl Serialize) -> HttpResponse {
    HttpResponse::build(status).json(document)
}

/// Sends a browser on to `location`, a path of ours; to the start page where that is no
/// header. What was typed is a [`LocalPath`] before it comes here.
pub fn see_other(location: &str) -> HttpResponse {
    let location = header::HeaderValue::from_str(location)
        .unwrap_or_else(|_| header::HeaderValue::from_static("/"));
    HttpResponse::SeeOther().insert_header((header::LOCATION, location)).finish()
}

/// Where to sign in and then go on to `next`.
pub fn login_href(next: &str) -> String {
    let query: String =
        url::form_urlencoded::Serializer::new(String::new()).append_pair("next", next).finish();
    format!("/login?{query}")
}

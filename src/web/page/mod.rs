//! The view of a request (language, format, account) and the responses built from it.
//!
//! How a view shows times is in [`moments`], what it shows of the office in `office`.

pub mod moments;
mod office;
mod priced;

use std::future::{Ready, ready};

use actix_web::{
    FromRequest, HttpMessage, HttpRequest, HttpResponse,
    dev::Payload,
    http::{StatusCode, header},
};
use askama::Template;
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    client,
    error::{HttpError, Problem},
    files::assets,
    flash,
    form::Mistakes,
    language::locale::locale_of,
    local_path::{LocalPath, with_next},
    negotiation::Format,
    poster::Poster,
    refusals::RefusalCount,
};
use crate::text::{
    i18n::{Count, Locale, Phrase, grouped},
    prices::{PricePattern, PriceUnit, in_points},
};

/// Account that is signed in, as the page's header shows it. The session extractor puts it into the
/// request's extensions, so that an error page shows it too.
#[derive(Clone, Debug)]
pub struct SignedIn {
    /// Whether the account may use the door pages.
    pub is_staff: bool,
    /// Whether the account may use the admin pages.
    pub is_admin: bool,
    /// Whether the account's e-mail address is confirmed.
    pub is_address_confirmed: bool,
    /// Number of transfer requests that wait for this account's answer.
    pub requests_waiting: i64,
}

/// Link in the page's header.
#[derive(Clone, Debug)]
pub struct Link {
    /// Path the link leads to.
    pub href: &'static str,
    /// Text of the link.
    pub label: Phrase,
    /// Whether the current page's path begins with `href`.
    pub is_current: bool,
    /// Number of items behind the link that wait for an answer.
    pub waiting: i64,
}

/// Data every page is rendered with; templates call it `v`.
#[derive(Clone, Debug)]
pub struct View {
    /// Language of the request.
    pub locale: Locale,
    /// Path and query of the page, to come back to; for a submitted form, path and query of the
    /// page that held it.
    pub path: String,
    /// Format of the answer.
    pub format: Format,
    /// Account that is signed in; `None` where no extractor resolved the session.
    pub account: Option<SignedIn>,
    /// Settings of the office.
    pub office: office::ShownOffice,
    /// Unit of prices, points or money.
    pub prices: PriceUnit,
    /// Whether lines and sales stand still, because the database went back to an earlier state.
    pub is_set_back: bool,
    flash: Option<String>,
    /// Where a refusal of the request is counted; `None` where it is not.
    refusals: Option<RefusalCount>,
}

impl FromRequest for View {
    type Error = std::convert::Infallible;
    type Future = Ready<Result<Self, Self::Error>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Ok(Self::of(request)))
    }
}

impl View {
    /// Builds the view of `request`.
    pub fn of(request: &HttpRequest) -> Self {
        Self {
            locale: locale_of(request),
            path: page_of(request),
            format: Format::of(request),
            account: request.extensions().get::<SignedIn>().cloned(),
            office: office::settings_of(request),
            prices: office::prices_of(request),
            is_set_back: office::is_set_back(request),
            flash: flash::of(request),
            refusals: request.extensions().get::<RefusalCount>().cloned(),
        }
    }

    /// Counts what the request is refused with, where refusals of its path are counted.
    pub(crate) fn note_refusal(&self, status: StatusCode, code: &'static str) {
        if let Some(refusals) = &self.refusals {
            refusals.note(status, code);
        }
    }

    /// Returns the text named `key`.
    pub fn t(&self, key: &'static str) -> Phrase {
        office::named(&self.office, key, self.locale.text(key))
    }

    /// Returns the text named `key`, a key built at run time.
    pub fn text(&self, key: impl Into<String>) -> Phrase {
        self.locale.text(key.into())
    }

    /// Formats a number, grouped by thousands.
    pub fn number(&self, value: impl std::fmt::Display) -> String {
        grouped(value)
    }

    /// Returns the address of the asset `name`.
    pub fn asset(&self, name: &str) -> String {
        assets::href(name)
    }

    /// Returns the message left by the previous request; rendering the page removes its cookie.
    pub fn flash(&self) -> Option<Phrase> {
        self.flash.clone().map(|key| self.text(key))
    }

    /// Whether the message left by the previous request is the one named `key`.
    pub fn is_told(&self, key: &str) -> bool {
        self.flash.as_deref() == Some(key)
    }

    /// Lists the languages other than the current one.
    pub fn other_locales(&self) -> impl Iterator<Item = Locale> {
        let current = self.locale;
        Locale::all().filter(move |locale| *locale != current)
    }

    /// Returns the name of the language with this tag, in the language itself.
    pub fn language(&self, tag: &str) -> &'static str {
        Locale::parse(tag).unwrap_or_default().own_name()
    }

    /// Formats an amount of points.
    pub fn points(&self, points: impl Count) -> String {
        in_points(self.locale, points)
    }

    /// Formats a price: in money where points are sold for it, else in points.
    pub fn price(&self, points: impl Count) -> String {
        self.prices.say(self.locale, points)
    }

    /// Formats a price for little room, or where the unit was said: in money, or as a number of points.
    pub fn price_sign(&self, points: impl Count) -> String {
        self.prices.sign(points)
    }

    /// Returns how scripts write prices that change while the page is open.
    pub fn price_pattern(&self) -> PricePattern {
        self.prices.pattern(self.locale)
    }

    /// Returns an e-mail address; of a deleted account, which has none, says that it is deleted.
    pub fn address(&self, email: &str) -> String {
        match email.contains('@') {
            true => email.to_owned(),
            false => self.t("admin-person-deleted").to_string(),
        }
    }

    /// Returns the log-in page's address, with the current page as its `next`.
    pub fn login_href(&self) -> String {
        self.entrance("/login")
    }

    /// Returns the sign-up page's address, with the current page as its `next`.
    pub fn signup_href(&self) -> String {
        self.entrance("/signup")
    }

    /// Returns `page` with the current page as its `next`. Between the log-in and the sign-up page
    /// the query, and with it the first `next`, is passed on.
    fn entrance(&self, page: &str) -> String {
        let (path, query) = self.path.split_once('?').unwrap_or((&self.path, ""));
        match path {
            "/login" | "/signup" if query.is_empty() => page.to_owned(),
            "/login" | "/signup" => format!("{page}?{query}"),
            _ => with_next(page, &self.path),
        }
    }

    /// Draws the poster of the program named `slug`, whose number in order of making is `number`.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "called from templates")]
    pub fn poster(&self, number: &i32, slug: &str) -> Poster {
        Poster::of_program(*number, slug)
    }

    /// Draws a poster for a page that is about no program, always the same for one `name`.
    pub fn poster_of(&self, name: &str) -> Poster {
        Poster::of_name(name)
    }

    /// Lists the header's links for the account that is signed in.
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

    /// Returns the detail of `error`, as one paragraph beside a form.
    pub fn refusal(&self, error: &dyn HttpError) -> String {
        self.told(&error.problem(), "detail").to_string()
    }

    /// Returns one of the texts of a problem: `title`, `detail` or `action`.
    pub fn told(&self, problem: &Problem, part: &str) -> Phrase {
        problem.localize(self.locale, self.prices, part)
    }

    /// Joins the reasons of all refused fields with spaces.
    pub fn reasons(&self, mistakes: &Mistakes) -> String {
        let reasons: Vec<String> =
            mistakes.reasons().map(|reason| self.t(reason).to_string()).collect();
        reasons.join(" ")
    }

    /// Renders a page; a template that fails to render is logged and answered with an empty 500.
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

    /// Answers a read: with the page, or for programs with `document` as JSON.
    pub fn show(&self, page: &impl Template, document: &impl Serialize) -> HttpResponse {
        match self.format.is_for_programs() {
            true => self.json(StatusCode::OK, document),
            false => self.html(StatusCode::OK, page),
        }
    }

    /// Answers a program with `document`, whose prices stand in money too where points are sold for it.
    pub fn json(&self, status: StatusCode, document: &impl Serialize) -> HttpResponse {
        match self.prices {
            PriceUnit::Points => json(status, document),
            PriceUnit::Money(_) => json(status, &priced::in_money(document, self.prices)),
        }
    }

    /// Answers a change: programs get `document` with `status`, browsers are redirected to
    /// `location`.
    pub fn done(
        &self,
        status: StatusCode,
        document: &impl Serialize,
        location: &str,
    ) -> HttpResponse {
        match self.format.is_for_programs() {
            true if status == StatusCode::NO_CONTENT => HttpResponse::NoContent().finish(),
            true => self.json(status, document),
            false => see_other(location),
        }
    }
}

/// Returns `document` as JSON for programs, whose prices stand in money too where points are sold for it.
pub fn document_text(document: &impl Serialize, prices: PriceUnit) -> String {
    // A document of plain fields always serializes.
    let text = match prices {
        PriceUnit::Points => serde_json::to_string(document),
        PriceUnit::Money(_) => serde_json::to_string(&priced::in_money(document, prices)),
    };
    text.unwrap_or_default()
}

/// Returns the path and query of the page: of the request itself if it is a read, else of its
/// `Referer`; `/` where the referer is missing or of another site.
fn page_of(request: &HttpRequest) -> String {
    if request.method().is_safe() {
        return request.uri().path_and_query().map_or("/", |path| path.as_str()).to_owned();
    }
    let referer = request.headers().get(header::REFERER).and_then(|value| value.to_str().ok());
    let page = referer.and_then(|referer| url::Url::parse(referer).ok());
    let is_ours = |page: &url::Url| {
        let host = page.host_str().unwrap_or_default();
        let asked = client::host(request);
        asked == host || page.port().is_some_and(|port| asked == format!("{host}:{port}"))
    };
    let path = page.filter(is_ours).map(|page| page[url::Position::BeforePath..].to_owned());
    path.map_or_else(|| "/".to_owned(), |path| LocalPath::or_start(&path).to_string())
}

/// Builds a JSON response.
pub fn json(status: StatusCode, document: &impl Serialize) -> HttpResponse {
    HttpResponse::build(status).json(document)
}

/// Answer to a change without a document: an empty object.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Empty {}

/// Answer to a change of one thing.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Identified<Id> {
    /// Id of the changed row.
    pub id: Id,
}

/// Answer to a deletion.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DeletedDocument<Id> {
    /// Id of the deleted row.
    pub deleted: Id,
}

/// Redirects (303) a browser to `location`, a path of this site; to the start page if `location` is
/// no valid header value. Input from a request must be a [`LocalPath`] first.
pub fn see_other(location: &str) -> HttpResponse {
    let location = header::HeaderValue::from_str(location)
        .unwrap_or_else(|_| header::HeaderValue::from_static("/"));
    HttpResponse::SeeOther().insert_header((header::LOCATION, location)).finish()
}

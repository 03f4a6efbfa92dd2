//! Page of the settings of the office.

use std::sync::Arc;

use actix_web::{HttpResponse, web::Data};
use askama::Template;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    accounts::AdminAccount,
    admin::{
        office,
        pages::{parse_text, parse_version, saved},
        programs::pages::VersionForm,
    },
    app::App,
    office::{
        colour::Colour,
        logo::Logo,
        model::{OfficeSettings, OfficeTexts, TaxRate},
    },
    text::{email::Email, times},
    web::{
        error::PageError,
        form::{Body, Field, FormRefusal, Mistakes, file::FileBody},
        page::View,
    },
};

/// Bounds on characters.
const NAME_CHARS_MAX: usize = 60;
const PHONE_CHARS_MAX: usize = 40;
const IMPRINT_CHARS_MAX: usize = 10_000;
const TERMS_CHARS_MAX: usize = 40_000;
const SELLER_CHARS_MAX: usize = 200;
const ADDRESS_CHARS_MAX: usize = 400;
const TAX_NUMBER_CHARS_MAX: usize = 60;
const PATH: &str = "/admin/office";

/// Settings as typed.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["version"]))]
pub struct OfficeForm {
    /// Version that was shown; another one is refused.
    version: Field,
    /// Name, up to 60 characters; empty: the program's own.
    name: Field,
    /// E-mail address for people with questions; empty: none is shown.
    email: Field,
    /// Telephone number for people with questions, up to 40 characters; empty: none is shown.
    phone: Field,
    /// Colour of buttons and links, as `#rrggbb`; empty: the program's own.
    colour: Field,
    /// Imprint, in Markdown, up to 10,000 characters; empty: no page.
    imprint: Field,
    /// Terms, in Markdown, up to 40,000 characters; empty: no page.
    terms: Field,
    /// Privacy notice, in Markdown, up to 40,000 characters; empty: no page.
    privacy: Field,
    /// Who sells, as receipts name it, up to 200 characters; empty: the name of the office.
    seller: Field,
    /// Address of the seller, up to 400 characters.
    seller_address: Field,
    /// Tax number of the seller, up to 60 characters.
    tax_number: Field,
    /// Tax that prices contain, in percent with up to two decimals (0-100); empty: receipts state none.
    tax_rate: Field,
}

impl OfficeForm {
    fn of(settings: &OfficeSettings) -> Self {
        let texts = &settings.texts;
        let rate = texts.tax_rate_bp.map(|rate| TaxRate(rate).number()).unwrap_or_default();
        Self {
            version: Field::of(settings.version),
            name: Field::of(&texts.name),
            email: Field::of(&texts.email),
            phone: Field::of(&texts.phone),
            colour: Field::of(&texts.colour),
            imprint: Field::of(&texts.imprint),
            terms: Field::of(&texts.terms),
            privacy: Field::of(&texts.privacy),
            seller: Field::of(&texts.seller),
            seller_address: Field::of(&texts.seller_address),
            tax_number: Field::of(&texts.tax_number),
            tax_rate: Field::of(rate),
        }
    }

    /// Parses the version and the texts.
    fn parse(&self) -> Result<(i64, OfficeTexts), Mistakes> {
        let mut mistakes = Mistakes::default();
        let version = parse_version(&mut mistakes, &self.version);
        let mut note = |name, key, text| mistakes.note(name, key, text);
        let name =
            note("name", "admin-office-refusal-name", parse_line(&self.name, NAME_CHARS_MAX));
        let email = optional(&self.email, |text| Some(Email::parse(text)?.as_str().to_owned()));
        let email = note("email", "admin-office-refusal-email", email);
        let phone = note("phone", "admin-office-refusal-phone", optional(&self.phone, parse_phone));
        let colour = optional(&self.colour, |text| Colour::parse(text).map(Colour::text));
        let colour = note("colour", "admin-office-refusal-colour", colour);
        let mut long =
            |name, field, max| note(name, "admin-office-refusal-length", parse_text(field, 0, max));
        let imprint = long("imprint", &self.imprint, IMPRINT_CHARS_MAX);
        let terms = long("terms", &self.terms, TERMS_CHARS_MAX);
        let privacy = long("privacy", &self.privacy, TERMS_CHARS_MAX);
        let seller = self.parse_seller(&mut mistakes);
        let parsed = || {
            let (name, email, phone, colour) = (name?, email?, phone?, colour?);
            let (imprint, terms, privacy) = (imprint?, terms?, privacy?);
            let seller = seller?;
            Some((
                version?,
                OfficeTexts { name, email, phone, colour, imprint, terms, privacy, ..seller },
            ))
        };
        mistakes.or(parsed())
    }

    /// Parses what receipts say of the seller; the other texts are empty.
    fn parse_seller(&self, mistakes: &mut Mistakes) -> Option<OfficeTexts> {
        let mut line = |name, field, max| {
            mistakes.note(name, "admin-office-refusal-seller", parse_line(field, max))
        };
        let seller = line("seller", &self.seller, SELLER_CHARS_MAX);
        let seller_address = line("seller_address", &self.seller_address, ADDRESS_CHARS_MAX);
        let tax_number = line("tax_number", &self.tax_number, TAX_NUMBER_CHARS_MAX);
        let rate = match self.tax_rate.is_empty() {
            true => Some(None),
            false => TaxRate::parse(self.tax_rate.text()).map(|rate| Some(rate.0)),
        };
        let tax_rate_bp = mistakes.note("tax_rate", "admin-office-refusal-tax-rate", rate)?;
        Some(OfficeTexts {
            seller: seller?,
            seller_address: seller_address?,
            tax_number: tax_number?,
            tax_rate_bp,
            ..OfficeTexts::default()
        })
    }
}

/// Parses a field that may be left empty.
fn optional(field: &Field, parse: impl FnOnce(&str) -> Option<String>) -> Option<String> {
    if field.is_empty() { Some(String::new()) } else { parse(field.text()) }
}

/// Parses a text of one line.
fn parse_line(field: &Field, max: usize) -> Option<String> {
    parse_text(field, 0, max).filter(|line| !line.chars().any(char::is_control))
}

/// Parses a telephone number with its blanks, brackets, dots and dashes.
fn parse_phone(text: &str) -> Option<String> {
    let is_part = |c: char| c.is_ascii_digit() || " +-.()/".contains(c);
    let is_phone = text.chars().all(is_part) && text.contains(|c: char| c.is_ascii_digit());
    (is_phone && text.len() <= PHONE_CHARS_MAX).then(|| text.to_owned())
}

#[derive(Template)]
#[template(path = "admin/office.html")]
struct OfficePage {
    v: View,
    settings: Arc<OfficeSettings>,
    form: OfficeForm,
    refusal: FormRefusal,
}

impl OfficePage {
    /// Returns the page of the settings as they are in PostgreSQL, not as this instance last saw them.
    async fn of(app: &App, v: View) -> Result<Self, PageError> {
        app.office.refresh(&app.db).await?;
        let settings = app.office.settings();
        let form = OfficeForm::of(&settings);
        Ok(Self { v, settings, form, refusal: FormRefusal::default() })
    }
}

/// `GET /admin/office`
pub async fn show_office(app: Data<App>, me: AdminAccount) -> Result<HttpResponse, PageError> {
    let page = OfficePage::of(&app, me.view).await?;
    Ok(page.v.show(&page, page.settings.as_ref()))
}

/// `POST /admin/office`
pub async fn update_office(
    app: Data<App>,
    me: AdminAccount,
    Body(form): Body<OfficeForm>,
) -> Result<HttpResponse, PageError> {
    let outcome = async {
        let (version, texts) = form.parse()?;
        Ok(office::update(&app, me.account_id, version, &texts).await?)
    }
    .await;
    answer(&app, me.view, Some(form), outcome).await
}

/// `POST /admin/office/logo`
pub async fn update_logo(
    app: Data<App>,
    me: AdminAccount,
    file: FileBody,
) -> Result<HttpResponse, PageError> {
    let FileBody { file, version } = file;
    let mut mistakes = Mistakes::default();
    let version = parse_version(&mut mistakes, &version);
    let version = mistakes.or(version)?;
    let outcome = match Logo::read(file).await {
        Ok(logo) => office::replace_logo(&app, me.account_id, version, Some(&logo)).await,
        Err(mistake) => Err(mistake.into()),
    };
    answer(&app, me.view, None, outcome.map_err(PageError::from)).await
}

/// `POST /admin/office/logo/removal`
pub async fn remove_logo(
    app: Data<App>,
    me: AdminAccount,
    form: Body<VersionForm>,
) -> Result<HttpResponse, PageError> {
    let version = form.0.parse()?;
    let outcome = office::replace_logo(&app, me.account_id, version, None).await;
    answer(&app, me.view, None, outcome.map_err(PageError::from)).await
}

/// Answers an edit: a refusal with the page and what was typed.
async fn answer(
    app: &App,
    v: View,
    typed: Option<OfficeForm>,
    outcome: Result<OfficeSettings, PageError>,
) -> Result<HttpResponse, PageError> {
    let page = async |v, refusal: FormRefusal| {
        let mut page = OfficePage::of(app, v).await?;
        if let Some(typed) = typed {
            page.form = OfficeForm { version: page.form.version, ..typed };
        }
        page.refusal = refusal;
        Ok(page.v.html(page.refusal.status(), &page))
    };
    v.answer(outcome, |v, done| saved(v, &done, PATH), page).await
}

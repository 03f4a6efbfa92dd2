//! Page of a performance's price types.

mod form;

use actix_web::{
    HttpResponse,
    web::{Data, Path},
};
use askama::Template;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::form::PriceTypeForm;
use crate::{
    accounts::AdminAccount,
    admin::{
        pages::{parse_version, saved},
        schedules::{
            ScheduleEdit,
            price_types::{self, PriceTypeChange},
        },
    },
    app::App,
    catalog::{
        PriceType, PriceTypeId, ScheduleEdition, ScheduleId, find_schedule_edition, inventory_of,
        list_schedule_editions,
        price_types::{
            TYPES_MAX, list_current,
            pages::{cost_words, limit_words},
        },
    },
    web::{
        error::{NotFound, PageError},
        form::{Body, Field, FormRefusal, Mistakes},
        page::View,
    },
};

#[derive(Template)]
#[template(path = "admin/price_types.html")]
struct PriceTypesPage {
    v: View,
    edition: ScheduleEdition,
    price_types: Vec<PriceType>,
    /// Forms of the types, in their order.
    forms: Vec<PriceTypeForm>,
    /// Form of a new type.
    new: PriceTypeForm,
    /// Names of the sections and the zones.
    places: Vec<String>,
    /// Other performances of the program.
    siblings: Vec<ScheduleEdition>,
    refusal: FormRefusal,
}

impl PriceTypesPage {
    async fn of(app: &App, v: View, id: ScheduleId) -> Result<Self, PageError> {
        let edition = find_schedule_edition(&app.db, id).await?.ok_or(NotFound)?;
        let price_types = list_current(&app.db, id).await?;
        let (sections, zones) = inventory_of(&app.db, id).await?;
        let sections = sections.into_iter().map(|section| section.section);
        let mut places: Vec<String> = sections.collect();
        places.extend(zones.into_iter().map(|zone| zone.name));
        places.dedup();
        let mut siblings = list_schedule_editions(&app.db, edition.program_id).await?;
        siblings.retain(|sibling| sibling.id != id);
        Ok(Self {
            v,
            edition,
            forms: price_types.iter().map(PriceTypeForm::of).collect(),
            price_types,
            new: PriceTypeForm::default(),
            places,
            siblings,
            refusal: FormRefusal::default(),
        })
    }

    /// Returns the page with the typed values in the form of `type_id`, or in the form of a new
    /// type.
    fn typed(mut self, type_id: Option<PriceTypeId>, form: PriceTypeForm) -> Self {
        let idx = self.price_types.iter().position(|each| Some(each.id) == type_id);
        match idx.and_then(|idx| self.forms.get_mut(idx)) {
            Some(typed) => *typed = form,
            None => self.new = form,
        }
        self
    }

    fn has_room(&self) -> bool {
        self.price_types.len() < TYPES_MAX
    }

    /// Returns the types with their forms.
    fn rows(&self) -> impl Iterator<Item = (&PriceType, &PriceTypeForm)> {
        self.price_types.iter().zip(&self.forms)
    }

    /// Returns the cost of a type, in words.
    fn cost(&self, price_type: &PriceType) -> String {
        cost_words(&self.v, price_type)
    }

    /// Returns the seats and sections of a type, and its limits, as sentences.
    fn limits(&self, price_type: &PriceType) -> String {
        limit_words(&self.v, price_type)
    }
}

/// Price types of a performance.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EditedTypesDocument<'a> {
    schedule: &'a ScheduleEdition,
    price_types: &'a [PriceType],
}

/// `GET /admin/schedules/{id}/price-types`
pub async fn show_price_types(
    app: Data<App>,
    me: AdminAccount,
    id: Path<ScheduleId>,
) -> Result<HttpResponse, PageError> {
    let page = PriceTypesPage::of(&app, me.view, *id).await?;
    let document = EditedTypesDocument { schedule: &page.edition, price_types: &page.price_types };
    Ok(page.v.show(&page, &document))
}

/// `POST /admin/schedules/{id}/price-types`
pub async fn create_price_type(
    app: Data<App>,
    me: AdminAccount,
    id: Path<ScheduleId>,
    Body(form): Body<PriceTypeForm>,
) -> Result<HttpResponse, PageError> {
    let change = form.parse().map(|(version, details)| (version, PriceTypeChange::Create(details)));
    answer(&app, me, *id, change, (None, form)).await
}

/// `POST /admin/schedules/{id}/price-types/{type_id}`
pub async fn update_price_type(
    app: Data<App>,
    me: AdminAccount,
    ids: Path<(ScheduleId, PriceTypeId)>,
    Body(form): Body<PriceTypeForm>,
) -> Result<HttpResponse, PageError> {
    let (id, type_id) = *ids;
    let change = form
        .parse()
        .map(|(version, details)| (version, PriceTypeChange::Replace(type_id, details)));
    answer(&app, me, id, change, (Some(type_id), form)).await
}

/// Form without other fields than the edition that it was made of.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct WithdrawalForm {
    /// Version that was shown; another one is refused.
    version: Field,
}

/// `POST /admin/schedules/{id}/price-types/{type_id}/withdrawal`
pub async fn withdraw_price_type(
    app: Data<App>,
    me: AdminAccount,
    ids: Path<(ScheduleId, PriceTypeId)>,
    Body(form): Body<WithdrawalForm>,
) -> Result<HttpResponse, PageError> {
    let (id, type_id) = *ids;
    let mut mistakes = Mistakes::default();
    let version = parse_version(&mut mistakes, &form.version);
    let change = version.map(|version| (version, PriceTypeChange::Withdraw(type_id)));
    let typed = (None, PriceTypeForm::default());
    answer(&app, me, id, mistakes.or(change), typed).await
}

/// Form that names another performance of the program.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CopyForm {
    /// Version that was shown; another one is refused.
    version: Field,
    /// Id of the performance to copy from.
    from: Field,
}

/// `POST /admin/schedules/{id}/price-types/copies`
pub async fn copy_price_types(
    app: Data<App>,
    me: AdminAccount,
    id: Path<ScheduleId>,
    Body(form): Body<CopyForm>,
) -> Result<HttpResponse, PageError> {
    let mut mistakes = Mistakes::default();
    let version = parse_version(&mut mistakes, &form.version);
    let from = mistakes.note("from", "admin-refusal-schedule", form.from.parse());
    let change = version.zip(from.map(PriceTypeChange::CopyFrom));
    let typed = (None, PriceTypeForm::default());
    answer(&app, me, *id, mistakes.or(change), typed).await
}

/// Carries out a change: redirects to the page, or renders it with the refusal and what was typed.
async fn answer(
    app: &App,
    me: AdminAccount,
    id: ScheduleId,
    change: Result<(i64, PriceTypeChange), Mistakes>,
    (type_id, form): (Option<PriceTypeId>, PriceTypeForm),
) -> Result<HttpResponse, PageError> {
    let outcome = async {
        let (version, change) = change?;
        let edit = ScheduleEdit { by: me.account_id.into(), id, version };
        Ok(price_types::change(app, edit, &change).await?)
    }
    .await;
    let page = async |v, refusal: FormRefusal| {
        let mut page = PriceTypesPage::of(app, v, id).await?.typed(type_id, form);
        page.refusal = refusal.in_words(&page.v);
        Ok(page.v.html(page.refusal.status(), &page))
    };
    let next = format!("/admin/schedules/{id}/price-types");
    me.view.answer(outcome, |v, done| saved(v, &done, &next), page).await
}

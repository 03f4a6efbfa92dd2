//! Page of a program: what it is, when it is on sale, and where the visitor stands in its queue.

use actix_web::{HttpResponse, http::StatusCode, web::Data};
use askama::Template;
use chrono::{DateTime, TimeDelta, Utc};

use super::{
    program::AtProgram, program_document::ProgramDocument, venues::ShownVenue, way_in::WayIn,
};
use crate::{
    accounts::{ADDRESS_CONFIRMATION_PATH, AccountId, Visitor},
    app::App,
    catalog::{
        Listings, Program, ProgramId, SaleState, ScheduleListing, pages::picture::LinkPicture,
        popularity::PublicRank,
    },
    entry_queue::{
        access_gates::{model::OwnGate, store as access_gates},
        error::QueueError,
        model::{QueueNumber, TokenStatus},
        paths::program_path,
        state::WaitingRoom,
        status::{StatusReport, status_of},
    },
    text::{i18n::Phrase, markdown::Markdown},
    web::{error::PageError, local_path::with_next, page::View},
};

/// Longest interval between two reloads of a program that is not on sale yet, in seconds.
const REFRESH_SECS_MAX: i64 = 300;

#[derive(Template)]
#[template(path = "entry_queue/program.html")]
struct ProgramPage<'a> {
    v: &'a View,
    program: &'a Program,
    schedules: &'a [ScheduleListing],
    /// Name of the sale's state, or `sold-out` where nothing is available.
    state: &'static str,
    venue_name: &'a str,
    popularity: PublicRank,
    own: OwnPlace,
    /// Access gate that the visitor may use; `None` once the sale has opened.
    gate: Option<OwnGate>,
    /// Address of the site, without a slash at its end.
    site_url: &'a str,
    now: DateTime<Utc>,
    /// Whether this is the preview of a draft for its editor: nothing on it can be done.
    is_preview: bool,
}

/// Where the visitor stands in the queue.
#[derive(Debug)]
enum OwnPlace {
    /// Not in it, or not signed in.
    Outside,
    /// In the opening draw.
    InDraw,
    /// In line.
    Waiting {
        /// Own number.
        number: QueueNumber,
        /// People with a lower number; `None` while the line is counted again.
        ahead: Option<u64>,
    },
    /// Let in.
    Inside {
        /// Where seats are chosen.
        entry_url: String,
        /// End of the time to choose.
        ends_at: DateTime<Utc>,
    },
}

impl From<StatusReport> for OwnPlace {
    fn from(StatusReport { state, stay, .. }: StatusReport) -> Self {
        match (state.status, state.queue_number, state.entry_url, stay) {
            (TokenStatus::Draw, ..) => Self::InDraw,
            (TokenStatus::Waiting, Some(number), ..) => {
                Self::Waiting { number, ahead: state.ahead }
            }
            (TokenStatus::Active, _, Some(entry_url), Some(stay)) => {
                Self::Inside { entry_url, ends_at: stay.stay_ends_at }
            }
            _ => Self::Outside,
        }
    }
}

/// Lowest rank that the page boasts of.
const RANK_SHOWN_MAX: i64 = 10;

/// Longest description for search engines and links that are shared, in characters.
const SUMMARY_CHARS_MAX: usize = 160;

impl ProgramPage<'_> {
    /// Returns the rank of the last seven days, if it is one of the first.
    fn rank_shown(&self) -> Option<i64> {
        self.popularity.week.filter(|rank| *rank <= RANK_SHOWN_MAX)
    }

    fn address(&self) -> String {
        format!("{}{}", self.site_url, program_path(&self.program.slug))
    }

    /// Returns the picture that a link to the page shows.
    fn picture(&self) -> LinkPicture {
        LinkPicture::of(self.program)
    }

    /// Returns the description of the page for links to it: the beginning of the description, or else
    /// where and when it is.
    fn summary(&self) -> String {
        let about = Markdown(&self.program.description).plain();
        let about = match (about.is_empty(), self.schedules.first()) {
            (true, Some(first)) => {
                let when = self.v.moment(&first.starts_at, &first.time_zone);
                format!("{} · {} · {when}", self.program.title, first.venue_name)
            }
            (true, None) => self.program.title.clone(),
            (false, _) => about,
        };
        match about.char_indices().nth(SUMMARY_CHARS_MAX) {
            Some((end, _)) => format!("{}…", about.get(..end).unwrap_or_default().trim_end()),
            None => about,
        }
    }

    /// Returns the venues of the performances that are listed.
    fn venues(&self) -> Vec<ShownVenue<'_>> {
        ShownVenue::list(self.schedules)
    }

    /// Returns when the doors open for a performance; `None`: not said.
    fn doors_open_at(&self, schedule: &ScheduleListing) -> Option<DateTime<Utc>> {
        let minutes = self.program.doors_before_mins?;
        Some(schedule.starts_at - TimeDelta::minutes(minutes.into()))
    }

    fn is_in_draw(&self) -> bool {
        matches!(self.own, OwnPlace::InDraw)
    }

    fn is_in_line(&self) -> bool {
        matches!(self.own, OwnPlace::Waiting { .. } | OwnPlace::Inside { .. })
    }

    /// Whether the visitor may join through an access gate, before the sale opens.
    fn may_join_early(&self) -> bool {
        self.gate.as_ref().is_some_and(|gate| gate.is_open(self.now))
    }

    /// Whether a waiting list may be joined.
    fn has_waiting_lists(&self) -> bool {
        self.state == "on-sale" || self.state == "sold-out"
    }

    /// Returns the text of the button that joins the open sale.
    fn join_label(&self) -> Phrase {
        self.v.t(self.way_in().label(self.v.account.is_some()))
    }

    /// Returns the text of the button that enters the opening draw.
    fn enter_label(&self) -> Phrase {
        self.v.t(WayIn::Draw.label(self.v.account.is_some()))
    }

    /// Whether the account that is signed in must confirm its address before it joins.
    fn asks_to_confirm(&self) -> bool {
        let account = self.v.account.as_ref();
        account.is_some_and(|account| !account.is_address_confirmed)
    }

    /// Returns the address of the page that mails the link, which leads back here.
    fn confirmation_href(&self) -> String {
        with_next(ADDRESS_CONFIRMATION_PATH, &program_path(&self.program.slug))
    }

    fn way_in(&self) -> WayIn {
        WayIn::of(self.program, self.schedules)
    }

    /// Whether people wait in a line: without one there is no turn.
    fn has_line(&self) -> bool {
        self.way_in() == WayIn::Line
    }

    fn time(&self, moment: &DateTime<Utc>) -> String {
        self.v.near(moment, &self.now, &self.program.time_zone)
    }

    /// Returns the seconds until the page reloads without JavaScript: at the opening, and now and
    /// then before it.
    fn refresh_secs(&self) -> i64 {
        ((self.program.on_sale_at - self.now).num_seconds() + 1).clamp(1, REFRESH_SECS_MAX)
    }
}

/// `GET /programs/{slug}`
pub async fn show_program(
    app: Data<App>,
    listings: Data<Listings>,
    room: Data<WaitingRoom>,
    AtProgram { program, me: visitor }: AtProgram<Visitor>,
) -> Result<HttpResponse, PageError> {
    let (schedules, popularity) =
        tokio::try_join!(listings.schedules(&app, program.id), listings.rank(&app, program.id))?;
    let now = app.now();
    let sale = program.sale_state(now);
    let own = match visitor.account_id {
        // The document is the same for every reader.
        Some(account_id) if !visitor.view.format.is_for_programs() => {
            own_place(&app, &room, account_id, &program).await
        }
        _ => OwnPlace::Outside,
    };
    let gate = match visitor.account_id {
        Some(account_id)
            if matches!(sale, SaleState::Coming { .. }) && program.first_gate_at.is_some() =>
        {
            own_gate(&app, program.id, account_id).await?
        }
        _ => None,
    };
    let site_url = app.config.site_url();
    let page = ProgramPage {
        v: &visitor.view,
        program: &program,
        schedules: &schedules,
        state: shown_state(sale, &schedules),
        venue_name: schedules.first().map_or("", |schedule| &schedule.venue_name),
        popularity,
        own,
        gate,
        site_url: &site_url,
        now,
        is_preview: false,
    };
    let document = ProgramDocument::of(&program, sale, popularity, &schedules);
    Ok(visitor.view.show(&page, &document))
}

/// Renders the page of a draft as visitors will see it, for its editor.
pub fn preview(
    app: &App,
    v: &View,
    program: &Program,
    schedules: &[ScheduleListing],
) -> HttpResponse {
    let now = app.now();
    let page = ProgramPage {
        v,
        program,
        schedules,
        state: shown_state(program.sale_state(now), schedules),
        venue_name: schedules.first().map_or("", |schedule| &schedule.venue_name),
        popularity: PublicRank::default(),
        own: OwnPlace::Outside,
        gate: None,
        site_url: &app.config.site_url(),
        now,
        is_preview: true,
    };
    v.html(StatusCode::OK, &page)
}

/// Returns the name of the sale's state: `sold-out` where nothing is available, `cancelled`, too, where
/// every performance is, and `closed` where none is left to be sold.
fn shown_state(sale: SaleState, schedules: &[ScheduleListing]) -> &'static str {
    let is_over = matches!(sale, SaleState::Closed | SaleState::Cancelled);
    if !is_over && !schedules.is_empty() && schedules.iter().all(|schedule| schedule.is_cancelled) {
        SaleState::Cancelled.into()
    } else if sale == SaleState::Open && schedules.is_empty() {
        SaleState::Closed.into()
    } else if sale == SaleState::Open && schedules.iter().all(|schedule| schedule.free == 0) {
        "sold-out"
    } else {
        sale.into()
    }
}

/// Returns the access gate that an account may use.
async fn own_gate(
    app: &App,
    program_id: ProgramId,
    account_id: AccountId,
) -> Result<Option<OwnGate>, sqlx::Error> {
    Ok(access_gates::list_of_accounts(&app.db, program_id, &[account_id]).await?.pop())
}

/// Returns where an account stands; the look counts as a poll, as one at the queue's page does. The
/// page is shown without it where it cannot be known: joining again only leads to the place.
async fn own_place(
    app: &App,
    room: &WaitingRoom,
    account_id: AccountId,
    program: &Program,
) -> OwnPlace {
    match status_of(app, room, account_id, program).await {
        Ok(status) => status.into(),
        Err(QueueError::NoToken { .. }) => OwnPlace::Outside,
        Err(error) => {
            tracing::warn!(program_id = %program.id, %error, "a place is not shown");
            OwnPlace::Outside
        }
    }
}

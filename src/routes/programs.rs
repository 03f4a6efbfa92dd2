//! Shows, as administrators and their programs edit them.

use super::{AdminError, CatalogError, CodeEditError, KitError, QueueError};
use crate::{
    accounts::api_keys::pages::programs_writer_of,
    admin::{
        cancellation::pages::{self as cancellation, CancellationDocument},
        codes::pages::{self as codes, CodesDocument, NewCodesDocument},
        letters::{
            model::OfficeLetterId,
            pages::{self as letters, LettersDocument, OfficeLetterDocument},
        },
        live::pages::{self as live, LiveDocument},
        overview::{self, pages::OverviewDocument},
        programs::pages::{
            self, EditionDocument, ProgramsDocument, copying, poster,
            preview::{self, PreviewDocument},
            publication::{self, PublicationDocument},
        },
        queue::{
            self, ClockDocument, TimeGivenDocument,
            pages::{
                admission, announcements,
                documents::{AdmissionDocument, QueueDocument},
                draw, given_time, guards, purge,
            },
        },
        sales::pages::{self as sales, SalesDocument},
        schedules,
    },
    catalog::{Program, ScheduleEdition},
    entry_queue::{Purge, draw::DrawDocument},
    web::{
        error::codes,
        page::{Empty, Identified},
        path::{
            Path, at,
            operation::{changes, creates, file, page, shows},
        },
    },
};

#[rustfmt::skip]
pub(super) fn paths() -> Vec<Path> {
    let mut paths = vec![
        at("/admin")
            .get(overview::pages::show_home, shows::<OverviewDocument<'_>>("Shows the shows on sale, and the latest acts of administrators.")),
        at("/admin/programs")
            .get(pages::list_programs, shows::<ProgramsDocument<'_>>("Lists the shows, the newest first."))
            .post(pages::create_program, creates::<Program>("Makes a show, as a draft.").refuses(codes![CatalogError::SlugTaken])),
        at("/admin/programs/new")
            .get(pages::new_program, page("Asks for the data of a new show.")),
        at("/admin/programs/{id}")
            .get(pages::show_program, shows::<EditionDocument<'_>>("Shows a show with its performances."))
            .post(pages::update_program, changes::<Program>("Changes a show, and tells people with tickets or wishes of another title or length by mail, with the `words` of the office.").refuses(codes![CatalogError::{SlugTaken, WrongStatus, OpeningAnnounced}, KitError::ChangedMeanwhile])).with_long_deadline(),
        at("/admin/programs/{id}/publication")
            .get(publication::show_publication, shows::<PublicationDocument<'_>>("Shows a draft before its publication."))
            .post(publication::create_publication, changes::<Program>("Publishes a show.").refuses(codes![CatalogError::{NothingToSell, WrongStatus}, KitError::ChangedMeanwhile])),
        at("/admin/programs/{id}/preview")
            .get(preview::show_preview, shows::<PreviewDocument>("Shows a draft as customers would see it.").or_redirects()),
        at("/admin/programs/{id}/copies")
            .post(copying::create_copy, creates::<Program>("Copies a show with its performances.").refuses(codes![KitError::ChangedMeanwhile, CatalogError::SlugTaken])),
        at("/admin/programs/{id}/poster")
            .post(poster::update_poster, changes::<Program>("Replaces the poster of a show.").refuses(codes![KitError::{ChangedMeanwhile, Contended, PictureTooLarge, PictureUnreadable}])).uploads(programs_writer_of),
        at("/admin/programs/{id}/poster/removal")
            .post(poster::remove_poster, changes::<Program>("Removes the poster of a show.").refuses(codes![KitError::ChangedMeanwhile])),
        at("/admin/programs/{id}/schedules")
            .post(schedules::pages::create_schedule, creates::<ScheduleEdition>("Adds a performance.").refuses(codes![CatalogError::{MomentTaken, WrongStatus, OpeningAnnounced}, KitError::ChangedMeanwhile, AdminError::OpeningAsked])),
        at("/admin/programs/{id}/cancellation")
            .get(cancellation::show_cancellation, shows::<CancellationDocument<'_>>("Shows the refunds of a cancellation, or its progress."))
            .post(cancellation::create_cancellation, changes::<Program>("Cancels a show, and refunds all payments.").refuses(codes![CatalogError::WrongStatus, KitError::ChangedMeanwhile])),
        at("/admin/programs/{id}/sales")
            .get(sales::show_sales, shows::<SalesDocument>("Shows the sales of a show.")),
        at("/admin/programs/{id}/sales.csv")
            .get(sales::download_sales, file("Downloads the sales of a show.", "text/csv")),
        at("/admin/programs/{id}/codes")
            .get(codes::list_codes, shows::<CodesDocument<'_>>("Lists the codes of a show."))
            .post(codes::create_codes, creates::<NewCodesDocument>("Makes codes.").refuses(codes![CodeEditError::{Taken, OpensWithDraw}])),
        at("/admin/programs/{id}/codes.csv")
            .get(codes::download_codes, file("Downloads the codes.", "text/csv")),
        at("/admin/programs/{id}/codes/{code_id}/limit")
            .post(codes::update_limit, changes::<Empty>("Changes how often a code may be used, and for how many places.").refuses(codes![CodeEditError::{BelowUses, BelowPlaces, Withdrawn}])),
        at("/admin/programs/{id}/codes/{code_id}/withdrawal")
            .post(codes::create_withdrawal, changes::<Empty>("Withdraws a code.").refuses(codes![CodeEditError::Withdrawn])),
    ];
    paths.extend(letter_paths());
    paths.extend(queue_paths());
    paths
}

#[rustfmt::skip]
fn letter_paths() -> Vec<Path> {
    vec![
        at("/admin/programs/{id}/letters")
            .get(letters::list_letters, shows::<LettersDocument<'_>>("Lists the letters to the holders of tickets of a show."))
            .post(letters::create_letter, creates::<Identified<OfficeLetterId>>("Drafts a letter to holders of tickets; nothing is sent yet.")),
        at("/admin/programs/{id}/letters/reminder")
            .post(letters::update_reminder, changes::<Empty>("Sets how many hours before each performance the holders of its tickets are reminded.")),
        at("/admin/letters/{id}")
            .get(letters::show_letter, shows::<OfficeLetterDocument<'_>>("Shows a letter, and how many people get it.")),
        at("/admin/letters/{id}/test")
            .post(letters::create_test, changes::<Empty>("Sends a letter to the administrator alone.").refuses(codes![AdminError::LetterSettled])),
        at("/admin/letters/{id}/release")
            .post(letters::create_release, changes::<Empty>("Sends a letter, at once or from a moment on.").refuses(codes![AdminError::LetterSettled])),
        at("/admin/letters/{id}/stop")
            .post(letters::create_stop, changes::<Empty>("Stops a letter: what of it is not sent yet is not sent.").refuses(codes![AdminError::LetterSettled])),
    ]
}

#[rustfmt::skip]
fn queue_paths() -> Vec<Path> {
    vec![
        at("/admin/programs/{id}/live")
            .get(live::show_live, shows::<LiveDocument<'_>>("Shows what happens in a sale now: its line, what is sold by section, refusals, mails, the provider and the last verification; and the effect of other limits.")),
        at("/admin/programs/{id}/queue")
            .get(queue::pages::show_queue, shows::<QueueDocument<'_>>("Shows the queue of a show, and the effect of other limits."))
            .post(queue::pages::update_queue, changes::<Program>("Changes the limits of a queue.").refuses(codes![KitError::ChangedMeanwhile, CatalogError::WrongStatus])),
        at("/admin/programs/{id}/queue/guards")
            .post(guards::update_guards, changes::<Program>("Changes the guards of a queue against hoarding.").refuses(codes![KitError::ChangedMeanwhile, CatalogError::{WrongStatus, OpeningAnnounced}])),
        at("/admin/programs/{id}/queue/draw")
            .post(draw::create_draw, changes::<DrawDocument>("Announces that the sale opens with a draw.").refuses(codes![QueueError::DrawNotPossible, CatalogError::OpeningAnnounced])),
        at("/admin/programs/{id}/queue/draw/withdrawal")
            .post(draw::delete_draw, changes::<Empty>("Withdraws a draw that is not closed.").refuses(codes![CatalogError::OpeningAnnounced, QueueError::DrawClosed])),
        at("/admin/programs/{id}/queue/draw/beacon-omission")
            .post(draw::create_omission, changes::<Empty>("Numbers a draw without its public beacon, which did not come.").refuses(codes![QueueError::{BeaconAwaited, DrawRunning, DrawClosed}])),
        at("/admin/programs/{id}/queue/pause")
            .post(announcements::create_pause, changes::<Program>("Pauses the admission, and says why and until when to everybody who waits or is inside.").refuses(codes![KitError::ChangedMeanwhile, CatalogError::WrongStatus])),
        at("/admin/programs/{id}/queue/announcements")
            .post(announcements::create_announcement, changes::<Program>("Says something to everybody who waits or is inside; what was said before is replaced.").refuses(codes![KitError::ChangedMeanwhile, CatalogError::WrongStatus])),
        at("/admin/programs/{id}/queue/announcements/{announcement_id}/withdrawal")
            .post(announcements::create_withdrawal, changes::<Program>("Takes back what was said to a line.").refuses(codes![KitError::ChangedMeanwhile])),
        at("/admin/programs/{id}/queue/resumption")
            .post(announcements::create_resumption, changes::<Program>("Resumes the admission, which ends what was said about its pause.").refuses(codes![KitError::ChangedMeanwhile, CatalogError::WrongStatus])),
        at("/admin/programs/{id}/queue/clock/restart")
            .post(given_time::create_clock_restart, changes::<ClockDocument>("Lets the clock of everybody who is inside run.").refuses(codes![AdminError::ClockRuns])),
        at("/admin/programs/{id}/queue/clock/stop")
            .post(given_time::create_clock_stop, changes::<ClockDocument>("Stops the clock of everybody who is inside: no live stay or hold ends until it runs, which it does by itself after four hours.").refuses(codes![AdminError::ClockStopped])),
        at("/admin/programs/{id}/queue/given-time")
            .post(given_time::create_given_time, changes::<TimeGivenDocument>("Gives everybody who is inside time back: every live stay and hold ends that many minutes later.").refuses(codes![KitError::{KeyReused, AlreadyProcessing}])),
        at("/admin/programs/{id}/queue/admissions")
            .post(admission::create_admission, changes::<AdmissionDocument>("Admits one account before its turn.").refuses(codes![QueueError::{SaleClosed, NoToken, SaleNotOpen, DrawRunning}])),
        at("/admin/programs/{id}/queue/purge")
            .post(purge::create_purge, changes::<Purge>("Empties a queue.").refuses(codes![QueueError::DrawRunning])),
    ]
}

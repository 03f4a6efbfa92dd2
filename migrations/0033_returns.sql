-- Returns: whoever paid for a ticket puts it back on sale, at the price that was paid.
--
-- The ticket admits until somebody has paid for its place. Then, in one transaction, it is void, its
-- price goes back to its payer less the program's share, and the buyer has a ticket of a new code.
--
-- A seat on return is AVAILABLE again, or HELD by a buyer, though the seller's item is live: maps,
-- holds and waiting lists see it as any free seat, at the price of the return. A place of a zone on
-- return is among those that remain. What a buyer holds of it is an item that is not live but awaits
-- the return, until it is paid. The row of the seat or zone guards its returns: whoever writes one has
-- locked it.

alter table programs
    -- The program's share of what a return pays back, in percent.
    add column return_fee_percent integer not null default 0,
    add constraint programs_return_fee_percent_range check (return_fee_percent between 0 and 100);

alter table reservation_items
    -- Places of the item that were bought by others since it was paid.
    add column returned integer not null default 0,
    -- Return that the place is bought from; null: it was free.
    add column return_id uuid,
    -- True while a hold has the place and is not paid.
    add column awaits_return boolean not null default false,
    add constraint reservation_items_returned_within_quantity
        check (0 <= returned and returned <= quantity) not valid,
    add constraint reservation_items_returned_is_not_live
        check (not live or returned < quantity) not valid,
    add constraint reservation_items_awaits_its_return
        check (not awaits_return or return_id is not null and not live) not valid,
    add constraint reservation_items_return_is_of_one
        check (return_id is null or quantity = 1) not valid;
alter table reservation_items validate constraint reservation_items_returned_within_quantity;
alter table reservation_items validate constraint reservation_items_returned_is_not_live;
alter table reservation_items validate constraint reservation_items_awaits_its_return;
alter table reservation_items validate constraint reservation_items_return_is_of_one;

-- Whether places of the reservation are on return until it is paid: it is paid alone then, with the
-- sellers' rows.
alter table reservations add column buys_return boolean not null default false;

create table ticket_returns (
    -- Also the reference of the seller's entry in the ledger.
    id                  uuid        primary key,
    ticket_id           uuid        not null references tickets,
    reservation_item_id uuid        not null references reservation_items,
    reservation_id      uuid        not null,
    schedule_id         uuid        not null,
    -- Seat or zone of the item.
    schedule_seat_id    bigint,
    zone_id             uuid,
    -- Who has the ticket, and paid for it with this payment.
    seller_id           uuid        not null references accounts,
    payment_id          uuid        not null references payments,
    -- What was paid for the place: what a buyer pays.
    price               bigint      not null,
    -- The program's share as it was agreed, and what of the price goes back to the seller.
    fee_percent         integer     not null,
    payout              bigint      not null,
    status              text        not null default 'OPEN',
    settled_at          timestamptz,
    created_at          timestamptz not null default clock_timestamp(),

    constraint ticket_returns_of_reservation
        foreign key (reservation_id, schedule_id) references reservations (id, schedule_id),
    constraint ticket_returns_of_seat
        foreign key (schedule_seat_id, schedule_id) references schedule_seats (id, schedule_id),
    constraint ticket_returns_of_zone
        foreign key (zone_id, schedule_id) references zones (id, schedule_id),
    constraint ticket_returns_seat_or_zone check ((schedule_seat_id is null) <> (zone_id is null)),
    -- SOLD: somebody bought the place. TAKEN_BACK: by the seller. ADMITTED: the seller was let in.
    -- VOIDED: the ticket was refunded. EXPIRED: the performance has begun.
    constraint ticket_returns_status_known
        check (status in ('OPEN', 'SOLD', 'TAKEN_BACK', 'ADMITTED', 'VOIDED', 'EXPIRED')),
    constraint ticket_returns_settled_has_its_time check ((status = 'OPEN') = (settled_at is null)),
    constraint ticket_returns_price_not_negative check (price >= 0),
    constraint ticket_returns_fee_percent_range check (fee_percent between 0 and 100),
    constraint ticket_returns_payout_is_price_less_fee
        check (payout = price - div(price::numeric * fee_percent, 100))
);

-- A ticket is on return once at a time, and is sold once; a seat likewise.
create unique index ticket_returns_live_key on ticket_returns (ticket_id)
    where status in ('OPEN', 'SOLD') and ticket_id is not null;
create unique index ticket_returns_open_seat_key on ticket_returns (schedule_seat_id)
    where status = 'OPEN' and schedule_seat_id is not null;
-- All returns of one ticket, reservation and seller: few of each.
create index ticket_returns_ticket_id on ticket_returns (ticket_id);
create index ticket_returns_reservation_id on ticket_returns (reservation_id);
create index ticket_returns_seller_id on ticket_returns (seller_id);
-- Open ones: of a zone, the cheapest first; all of them, for the worker that ends them. Each
-- condition is stated by its own statements only, for the reason given at `schedule_seats_available`.
create index ticket_returns_open_zone on ticket_returns (zone_id, price)
    where status = 'OPEN' and zone_id is not null;
create index ticket_returns_open on ticket_returns (id)
    where status = 'OPEN' and settled_at is null;

alter table reservation_items
    add constraint reservation_items_of_return foreign key (return_id) references ticket_returns not valid;
alter table reservation_items validate constraint reservation_items_of_return;
-- A return has one buyer at a time, and one that has bought. Also the index by which that item is found.
create unique index reservation_items_return_key on reservation_items (return_id)
    where live or awaits_return;
-- What holds of places on return are in the way of another hold.
create index reservation_items_awaiting_seat on reservation_items (schedule_seat_id)
    where awaits_return and schedule_seat_id is not null;
create index reservation_items_awaiting_zone on reservation_items (zone_id)
    where awaits_return and zone_id is not null;

alter table schedule_seats
    -- Open return of the seat; null: it is on no return.
    add column return_id uuid,
    -- Price that the seat gets when the return ends: while it is open, `price` is that of the return.
    add column price_after bigint,
    add constraint schedule_seats_return_has_price_after
        check ((return_id is null) = (price_after is null)) not valid,
    add constraint schedule_seats_return_is_for_sale
        check (return_id is null or status in ('AVAILABLE', 'HELD', 'HIDDEN')) not valid,
    add constraint schedule_seats_price_after_not_negative check (price_after >= 0) not valid,
    add constraint schedule_seats_of_return foreign key (return_id) references ticket_returns not valid;
alter table schedule_seats validate constraint schedule_seats_return_has_price_after;
alter table schedule_seats validate constraint schedule_seats_return_is_for_sale;
alter table schedule_seats validate constraint schedule_seats_price_after_not_negative;
alter table schedule_seats validate constraint schedule_seats_of_return;
create unique index schedule_seats_return_key on schedule_seats (return_id) where return_id is not null;

alter table zones
    -- Places that remain because they are on return, and that nobody holds.
    add column returned integer not null default 0,
    add constraint zones_returned_within_remaining check (0 <= returned and returned <= remaining);

-- Refuses a second end of a return, and a change of what was agreed.
create function refuse_change_of_return() returns trigger language plpgsql as $$
begin
    if old.status <> 'OPEN' or to_jsonb(new) - '{status,settled_at}'::text[]
        <> to_jsonb(old) - '{status,settled_at}'::text[]
    then
        raise exception 'return % has ended, or was agreed otherwise', old.id
            using errcode = 'integrity_constraint_violation', constraint = 'ticket_returns_end_once';
    end if;
    return new;
end
$$;
create trigger ticket_returns_end_once
    before update on ticket_returns
    for each row execute function refuse_change_of_return();

alter table point_transactions drop constraint point_transactions_kind_known;
alter table point_transactions add constraint point_transactions_kind_known
    check (kind in ('CHARGE', 'PURCHASE', 'REVERSAL', 'REINSTATEMENT', 'PAYMENT', 'REFUND', 'RESALE',
                    'ADJUSTMENT', 'WRITE_OFF', 'FORFEIT', 'TRANSFER_HOLD', 'TRANSFER_RELEASE',
                    'TRANSFER_OUT', 'TRANSFER_IN', 'SHARE_HOLD', 'SHARE_RELEASE')) not valid;
alter table point_transactions validate constraint point_transactions_kind_known;

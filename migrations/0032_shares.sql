-- Shares: people pay together for one reservation, each for whole places of it.
--
-- The holder of an unpaid hold makes a share of some of its places and passes its link on. Whoever
-- opens the link may pay the share: its price is withheld in the payer's wallet. What the holder pays
-- beside the friends is a share too, without a link. When every place of the reservation is in a share
-- whose price is withheld, one transaction confirms the reservation: each share becomes a payment with
-- the id of the share, and the tickets of its places are the payer's. A share whose hold has ended goes
-- back to its payer.
--
-- Every change of a live share but the last one has locked its reservation first. Only what goes back
-- after the end of the hold is written beside it: a reservation that has ended never changes again.
create table shares (
    -- Also the id of its payment, and the reference of its entries in the payer's wallet.
    id             uuid        primary key,
    reservation_id uuid        not null references reservations,
    -- Whose points are or were withheld. Null: nobody's yet.
    payer_id       uuid        references accounts,
    -- Sum of the prices of its places, in points.
    amount         bigint      not null,
    status         text        not null default 'OPEN',
    -- SHA-256 of the code in its link. Null: a share of the holder's own, which has no link.
    code_hash      bytea,
    withheld_at    timestamptz,
    settled_at     timestamptz,
    version        bigint      not null default 0,
    created_at     timestamptz not null default clock_timestamp(),

    -- WITHDRAWN: by its payer. TAKEN_BACK: by the holder. RETURNED: the hold has ended.
    constraint shares_status_known
        check (status in ('OPEN', 'WITHHELD', 'PAID', 'WITHDRAWN', 'TAKEN_BACK', 'RETURNED')),
    constraint shares_amount_not_negative check (amount >= 0),
    constraint shares_code_hash_key unique (code_hash),
    constraint shares_code_hash_length check (length(code_hash) = 32),
    constraint shares_link_or_payer check (code_hash is not null or payer_id is not null),
    constraint shares_withheld_has_payer
        check ((payer_id is null) = (withheld_at is null)
            and (payer_id is null or status <> 'OPEN')
            and (payer_id is not null or status not in ('WITHHELD', 'PAID', 'WITHDRAWN'))),
    constraint shares_settled_has_its_time
        check ((status in ('OPEN', 'WITHHELD')) = (settled_at is null))
);

-- The shares of one reservation.
create index shares_reservation_id on shares (reservation_id);
-- The shares of one payer, newest first.
create index shares_payer_id on shares (payer_id, id desc);
-- Live shares, for the worker that returns those of holds that have ended. `settled_at is null` is true
-- for every one and only the worker's statement states it, for the reason given at
-- `schedule_seats_available`.
create index shares_live on shares (id) where status in ('OPEN', 'WITHHELD') and settled_at is null;

-- Places of shares: seats, and places of zones by their number within the item, like tickets.
create table share_places (
    share_id            uuid    not null references shares,
    reservation_item_id uuid    not null,
    -- Number within the item, from 1, and the item's quantity.
    number              integer not null,
    item_quantity       integer not null,
    -- True until the share ends unpaid.
    live                boolean not null default true,

    constraint share_places_pkey primary key (share_id, reservation_item_id, number),
    constraint share_places_of_item
        foreign key (reservation_item_id, item_quantity) references reservation_items (id, quantity),
    constraint share_places_number_within_item check (number between 1 and item_quantity)
);

-- A place is in at most one live share: nobody pays for it twice. Also the index by which the share of
-- a ticket is found.
create unique index share_places_live_key on share_places (reservation_item_id, number) where live;

-- Refuses another way of a share than from open over withheld to its end, and another payer, price or
-- link.
create function refuse_share_backward() returns trigger language plpgsql as $$
begin
    if (new.id, new.reservation_id, new.amount, new.code_hash, new.created_at)
        is distinct from (old.id, old.reservation_id, old.amount, old.code_hash, old.created_at)
        or new.payer_id is distinct from old.payer_id and old.payer_id is not null
        or (old.status || ' ' || new.status) not in (
            'OPEN WITHHELD', 'OPEN TAKEN_BACK', 'OPEN RETURNED', 'WITHHELD PAID',
            'WITHHELD WITHDRAWN', 'WITHHELD TAKEN_BACK', 'WITHHELD RETURNED')
    then
        raise exception 'share % cannot change from % to %', old.id, old.status, new.status
            using errcode = 'integrity_constraint_violation', constraint = 'shares_only_forward';
    end if;
    return new;
end
$$;

create trigger shares_only_forward
    before update on shares
    for each row execute function refuse_share_backward();

-- Whether shares of the reservation were ever made: whoever pays it at once ends the open ones first,
-- and nobody else has to look for any.
alter table reservations add column is_shared boolean not null default false;

-- Number of the payment within its reservation, from 1. A reservation that is paid at once has one; one
-- that is paid in shares has one for each. Both begin with 1, so that neither is paid beside the other.
alter table payments add column number integer not null default 1;
alter table payments add constraint payments_number_positive check (number > 0) not valid;
alter table payments validate constraint payments_number_positive;
drop index payments_live_key;
create unique index payments_live_key on payments (reservation_id, number) where status = 'COMPLETED';

alter table point_transactions drop constraint point_transactions_kind_known;
alter table point_transactions add constraint point_transactions_kind_known
    check (kind in ('CHARGE', 'PURCHASE', 'REVERSAL', 'REINSTATEMENT', 'PAYMENT', 'REFUND',
                    'ADJUSTMENT', 'WRITE_OFF', 'FORFEIT', 'TRANSFER_HOLD', 'TRANSFER_RELEASE',
                    'TRANSFER_OUT', 'TRANSFER_IN', 'SHARE_HOLD', 'SHARE_RELEASE')) not valid;
alter table point_transactions validate constraint point_transactions_kind_known;

-- Charges that pay the share of a friend's order once their points are there, as others pay an own reservation.

alter table charges
    add column share_id uuid references shares,
    drop constraint charges_pays_a_reservation,
    add constraint charges_pays_a_reservation_or_a_share
        check (not pays or reservation_id is not null or share_id is not null),
    add constraint charges_are_for_one_thing check (reservation_id is null or share_id is null);
create index charges_share_id on charges (share_id) where share_id is not null;

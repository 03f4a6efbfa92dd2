-- Price categories: what a plan says of a seat's price (R, S, A). A category cuts through sections, and its seats
-- have one price at a performance; seats without one have the price of their section.
--
-- An instance of the version before writes the price of a section into all of its seats. So no plan has categories
-- before every instance knows them.

alter table seats
    -- Null: the seat has the price of its section.
    add column price_category text,
    add constraint seats_price_category_length check (length(price_category) between 1 and 40);

-- Prices of categories that were saved and are being written to the seats: like `price_changes`, which has those
-- of sections, for their seats without a category.
create table category_price_changes (
    schedule_id uuid   not null,
    category    text   not null,
    price       bigint not null,
    -- `schedules.version` of the edit that set this price.
    version     bigint not null,

    constraint category_price_changes_pkey primary key (schedule_id, category),
    constraint category_price_changes_schedule_id_fkey
        foreign key (schedule_id) references schedules on delete cascade,
    constraint category_price_changes_category_length check (length(category) between 1 and 40),
    constraint category_price_changes_price_not_negative check (price >= 0)
);

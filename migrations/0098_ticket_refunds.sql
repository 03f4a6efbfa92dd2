-- Refunds of single tickets: who paid for a place gives it back to the house, which sells it again as any other.
--
-- It is written as a return that is sold at once, to the house: its price is what was paid for the place, and its payout
-- what comes back by the terms of the order. Whatever reads which places have left an order, and what of its payments is
-- settled, needs to know no more than that; a version before this one reads it so, too.

alter table ticket_returns
    -- Whether the house has the place, and no other account has bought it.
    add column to_house boolean not null default false,
    add constraint ticket_returns_to_house_is_sold check (not to_house or status = 'SOLD') not valid,
    drop constraint ticket_returns_payout_is_price_less_fee,
    add constraint ticket_returns_payout_is_price_less_fee check (case
        when to_house then payout between 0 and price
        else payout = price - div(price::numeric * fee_percent, 100)
    end) not valid;
alter table ticket_returns validate constraint ticket_returns_to_house_is_sold;
alter table ticket_returns validate constraint ticket_returns_payout_is_price_less_fee;

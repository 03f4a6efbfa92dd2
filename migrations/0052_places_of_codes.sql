-- How many places the reservations with a code may have, beside how many reservations may have it.
--
-- A code for one use paid for as many places as an order may have. Its places are counted under the lock
-- of its row, like its uses, but only while they are limited: a version that does not know of them
-- changes the uses of a code and leaves its places as they are. Places on return are left out, because no
-- code makes them cheaper. Whoever changes the limit counts them anew.
alter table sale_codes
    -- Places that live reservations with it may have together; null: any number.
    add column places_max integer,
    -- Places that they have; null where they are not limited.
    add column places integer,
    add constraint sale_codes_places_max_positive check (places_max > 0) not valid,
    add constraint sale_codes_places_within_max check (places >= 0 and places <= places_max) not valid,
    add constraint sale_codes_places_are_counted
        check ((places is null) = (places_max is null)) not valid,
    -- Those who redeem an access code order as many places as everybody.
    add constraint sale_codes_access_has_no_places check (not is_access or places_max is null) not valid;
alter table sale_codes validate constraint sale_codes_places_max_positive;
alter table sale_codes validate constraint sale_codes_places_within_max;
alter table sale_codes validate constraint sale_codes_places_are_counted;
alter table sale_codes validate constraint sale_codes_access_has_no_places;

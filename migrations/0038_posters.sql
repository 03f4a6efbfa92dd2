-- Programs in order of their making: posters that follow one another have other drawings and palettes.
alter table programs add column poster_number integer not null generated always as identity;

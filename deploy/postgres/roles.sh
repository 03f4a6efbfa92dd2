#!/bin/sh
# Makes the database and its two roles. The image of PostgreSQL runs it once, when it prepares its
# data: `stagedoor_owner` owns the database and migrates, `stagedoor` serves and owns nothing; every
# migration grants it what it needs.
set -eu

psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --set=password="$POSTGRES_PASSWORD" \
  --username="$POSTGRES_USER" --dbname=postgres <<'END'
create role stagedoor_owner login password :'password';
create role stagedoor login password :'password';
create database stagedoor owner stagedoor_owner;
END

# Stagedoor: one binary, which carries its templates, texts, styles and migrations.

FROM rust:1.95.0-slim-bookworm AS build
WORKDIR /src

# The crates first, with an empty program in place of ours: they change seldom, so
# this layer is built anew only when Cargo.toml or Cargo.lock does.
COPY Cargo.toml Cargo.lock ./
RUN mkdir src \
    && echo 'fn main() {}' > src/main.rs \
    && touch src/lib.rs \
    && cargo build --release --locked \
    && rm -r src

# What the queries return is in .sqlx: no database is asked.
ENV SQLX_OFFLINE=true
COPY . .
# Cargo goes by times, and a checkout's files may be older than the empty program.
RUN touch src/main.rs src/lib.rs \
    && cargo build --release --locked \
    && strip target/release/stagedoor


FROM debian:bookworm-slim
# `stagedoor rehearse --target https://…` checks certificates against them.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates \
    && rm -rf /var/lib/apt/lists/*
# By number, so that a platform which demands a user other than root can see it.
RUN useradd --system --uid 10001 --user-group --no-create-home --shell /usr/sbin/nologin stagedoor
COPY --from=build /src/target/release/stagedoor /usr/local/bin/stagedoor
COPY scripts/healthy /usr/local/bin/healthy

USER 10001:10001
# Inside a container, loopback would be reachable by nobody.
ENV LISTEN_ADDR=0.0.0.0:8080
EXPOSE 8080
# The first minute is for the migrations.
HEALTHCHECK --interval=5s --timeout=3s --start-period=60s --retries=3 CMD ["healthy"]
ENTRYPOINT ["stagedoor"]
CMD ["serve"]

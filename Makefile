# The commands of this checkout. What each does is in scripts/.

.DEFAULT_GOAL := help
.PHONY: help run test storm test-browser test-firefox test-api test-calendars test-faults test-cluster test-image fuzz mutants lua-mutants coverage lighthouse screenshots watch bench bench-quick stop clean check hook deny advisories prepare

help: ## print this list
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1|\2/p' $(MAKEFILE_LIST) | awk -F '|' '{ printf "%-20s%s\n", $$1, $$2 }'

run: ## install, build and serve with demo data; LISTEN_ADDR=127.0.0.1:8080
	@scripts/run

test: ## run the tests on a throw-away stack; ARGS="wallet" goes to cargo test
	@scripts/test $(ARGS)

storm: ## run the long tests, which wait out deadlines or repeat a race ten thousand times
	@scripts/test --long

test-browser: ## run the tests in a real browser, which is installed if it is missing
	@scripts/test --browser

test-firefox: ## run them in Firefox; it and its driver are installed if they are missing
	@scripts/test --firefox

test-api: ## send requests made from the API's document to a throw-away office, as everybody who uses it
	@scripts/test-api

test-calendars: ## compare what five other libraries read in our calendar files, before and after a move
	@scripts/test-calendars

test-faults: ## break servers and wires in the middle of sales; ARGS="--only redis-killed --tries 5"
	@scripts/test --faults $(ARGS)

test-cluster: ## lose a primary, roll and upgrade behind HAProxy, in the middle of sales; OLDER_STAGEDOOR=path
	@scripts/test --cluster $(ARGS)

test-image: ## build the container's image and try it, where docker or podman is
	@scripts/test-image

fuzz: ## run libFuzzer on each parser for an hour; SECS=600 for as long, SECS=keep adds to the corpora, ARGS="fuzz::plans" picks targets
	@scripts/test --fuzz $(or $(SECS),3600) $(ARGS)

mutants: ## break the pure rules and list what no unit test notices; SHARD=1/40 for a sample
	@scripts/mutants $(or $(SHARD),all) $(ARGS)

lua-mutants: ## break the Lua scripts where tests/mutants/lua.toml says, and list what no test notices; ARGS=--long
	@scripts/lua-mutants $(ARGS)

coverage: ## count which lines the tests run, and write docs/COVERAGE.md; ARGS="--lib" for some of them
	@scripts/coverage $(ARGS)

lighthouse: ## measure the pages with Lighthouse as a phone sees them, into docs/BROWSER.md; ARGS=5 makes five runs
	@scripts/lighthouse $(ARGS)

screenshots: ## photograph every page into target/screenshots, and look for mistakes; ARGS="--pages map,line --widths 390"
	@scripts/screenshots $(ARGS)

watch: ## run checks again at every change; ARGS="test wallet" runs tests instead
	@scripts/watch $(ARGS)

stop: ## stop this checkout's PostgreSQL and Redis; their data stays
	@scripts/stack stop

clean: ## stop them, and remove their data and everything built
	@scripts/clean

check: ## format, shell scripts, clippy and documentation, warnings refused
	@scripts/check

hook: ## have git check format and shell scripts before each commit
	@scripts/hook

deny: ## licences, bans and sources of all crates
	@scripts/deny

advisories: ## known vulnerabilities of all crates; needs the network
	@scripts/deny advisories

prepare: ## write .sqlx anew, after a query or a migration has changed
	@scripts/prepare

bench: ## measure the release build against PostgreSQL's own limits, into BENCHMARKS.md
	@scripts/bench

bench-quick: ## the same with fewer and shorter runs; only prints
	@scripts/bench --quick

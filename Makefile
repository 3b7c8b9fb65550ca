# make run and make test are all one needs; make help lists the rest.
PORT ?= 8000
PYTHON ?= python3
DEMO ?= 1
in_venv = .venv/bin/python -m
# Three at once for two cores: a browser often waits. One journey at a time for each, the long ones first.
journeys = tests/journeys -m browser -n 3 --dist load --maxschedchunk 1 $(slowest)
# All tests of a file run in the same process, which creates the file's rows once. Files run in the collected order.
by_file = --dist loadfile --no-loadscope-reorder
slowest = --durations 40 --durations-min 1
lock = $(in_venv) uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --no-header \
	--no-emit-index-url --no-emit-find-links --quiet $(UPGRADE)
export PORT DEMO

.PHONY: run wheel deb test check types style imports templates tables fast-tests browser-tests test-long format play-events keep-events sheets pictures mutants bench hall takeover attack spoiled measure \
	lock prepare prepare-dev clean help

run: prepare  ## start web server and worker on http://127.0.0.1:8000 (PORT=8001: another port, HTTPS=1: certificate, DEMO=0: no demo)
	@exec $(in_venv) laptop run

test: check fast-tests browser-tests  ## check the code, run all tests, those in a real browser last

check: prepare-dev  ## style, types, architecture, templates
	@$(MAKE) --no-print-directory --keep-going --jobs 2 --output-sync=target types style imports templates tables

types:
	$(in_venv) mypy

style:
	$(in_venv) ruff check .
	$(in_venv) ruff format --check .

imports:
	.venv/bin/lint-imports --no-logo

templates:
	git ls-files -z '*.html' | xargs -0 -r .venv/bin/djade --check --target-version 5.2

# What the tests copy is made while mypy has the other core.
tables:
	$(in_venv) tests.migrated

fast-tests: prepare-dev  ## all tests but those in a browser
	$(in_venv) pytest -m "not browser" -n auto --maxprocesses 4 $(by_file) $(slowest) $(PYTEST_ARGS)

browser-tests: prepare-dev  ## journeys in a real browser, screenshots in var/screenshots (PICTURES=0: none, faster; SLOW=6: slow browsers and a slow line)
	$(in_venv) pytest $(journeys) $(BROWSER_ARGS) $(PYTEST_ARGS)

test-long: prepare-dev  ## for a night: many examples of every property by another seed, all journeys with the narrowest font
	TEST_EXAMPLES=$${TEST_EXAMPLES:-5} TEST_SEED=$${TEST_SEED:-$$(date +%s)} $(in_venv) pytest -m "not browser" -n auto --maxprocesses 4 $(slowest) $(PYTEST_ARGS)
	TEST_EXAMPLES=$${TEST_EXAMPLES:-5} TEST_SEED=$${TEST_SEED:-$$(date +%s)} $(in_venv) pytest $(journeys) --fonts narrow $(BROWSER_ARGS) $(PYTEST_ARGS)
	$(in_venv) pytest tests/journeys/screens_of_every_page.py -n 3 --dist load --maxschedchunk 1 $(BROWSER_ARGS) $(PYTEST_ARGS)
	$(in_venv) tests.devtools.spoiled --requests $(REQUESTS) --seed $${TEST_SEED:-$$(date +%s)}
	$(in_venv) tests.devtools.spoiled --files 10000 --seed $${TEST_SEED:-$$(date +%s)}
	$(in_venv) tests.devtools.archive_memory
	$(in_venv) tests.devtools.takeover --runs 4 --whole 1 --seed $${TEST_SEED:-$$(date +%s)}
	$(in_venv) tests.devtools.debian_package

format: prepare-dev  ## set code and templates as `make check` wants them
	$(in_venv) ruff check --fix .
	$(in_venv) ruff format .
	git ls-files -z '*.html' | xargs -0 -r .venv/bin/djade --target-version 5.2

sheets: prepare-dev  ## contact sheets of every page: each width, light and dark, English and longer: var/screenshots/sheets
	-$(in_venv) pytest tests/journeys/screens_of_every_page.py -n 3 --dist load --maxschedchunk 1 $(BROWSER_ARGS) $(PYTEST_ARGS)
	$(in_venv) tests.devtools.contact_sheets

pictures: prepare-dev  ## take the README's pictures of a bracket and a score card again
	$(in_venv) pytest tests/journeys/pictures_of_readme.py $(PYTEST_ARGS)

EVENTS ?= 20
SEED ?= 1
play-events: prepare-dev  ## play whole events at random and compare all they say with their facts (EVENTS=200 SEED=1 ROUND_TRIPS=1: move each event through files)
	$(in_venv) tests.devtools.whole_events --events $(EVENTS) --seed $(SEED) $(if $(ROUND_TRIPS),--round-trips) $(PLAY_ARGS)

keep-events: prepare-dev  ## play one event of every kind half-way and keep them for the code of later days (tests/devtools/kept/README.md)
	$(in_venv) tests.devtools.kept.make $(KEEP_ARGS)

mutants: prepare-dev  ## plant small faults in the code that counts and see whether tests notice (FOLDER=money, see docs/mutants.md)
	nice -n 10 $(in_venv) tests.devtools.mutants $(FOLDER) $(MUTANTS_ARGS)

bench: prepare-dev  ## how fast the heavy things are, as ratios in one run
	$(in_venv) tests.devtools.bench.run

PHONES ?= 500
WRITERS ?= 40
MINUTES ?= 10
hall: prepare-dev  ## a full hall on this machine: phones that look, writers that write, counted from outside (PHONES=60 WRITERS=5 MINUTES=1 FOLLOWER=1: with a second laptop)
	$(in_venv) tests.devtools.hall --phones $(PHONES) --writers $(WRITERS) --minutes $(MINUTES) $(if $(FOLLOWER),--follower) $(HALL_ARGS)

RUNS ?= 20
takeover: prepare-dev  ## two laptops: the first one dies or is cut off while people write, the second one takes over (RUNS=1000 SEED=2)
	$(in_venv) tests.devtools.takeover --runs $(RUNS) --seed $(SEED) $(TAKEOVER_ARGS)

attack: prepare-dev  ## what anybody on the Wi-Fi can try, against a site of its own, and how long others wait (ATTACKS="forms_8 draft")
	$(in_venv) tests.devtools.attacks $(ATTACKS)

REQUESTS ?= 100000
spoiled: prepare-dev  ## requests that no browser sends, to every address (REQUESTS=5000 SEED=2 SPOILED_ARGS=--site)
	$(in_venv) tests.devtools.spoiled --requests $(REQUESTS) --seed $(SEED) $(SPOILED_ARGS)

wheel: prepare-dev  ## build the wheel for docs/install.md, in dist/
	$(in_venv) hatchling build -t wheel

deb: wheel  ## build the package for Debian 12, in dist/ (ARCHITECTURE=arm64: for a Raspberry Pi)
	$(in_venv) laptop.deb $(if $(ARCHITECTURE),--architecture $(ARCHITECTURE))

measure: prepare-dev  ## how the code is laid out, in figures (docs/architecture.md)
	@$(in_venv) tests.devtools.measure

lock: prepare-dev  ## pin what pyproject.toml asks for, with hashes (UPGRADE=--upgrade: newest versions)
	$(lock) --output-file requirements.txt
	$(lock) --extra dev --constraints requirements.txt --output-file requirements-dev.txt

prepare:
	@$(PYTHON) -m laptop.prepare

prepare-dev:
	@$(PYTHON) -m laptop.prepare --dev

clean:  ## remove what was installed and cached; var/ with the data stays
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis mutants

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*##  *\(.*\)/make \1\t\2/p' Makefile | expand -t 22

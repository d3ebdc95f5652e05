# `make up` installs what is missing, starts the whole stack and prints its address; `make help` lists the rest.
# Settings of the stack, from the environment or the command line (which others see: no passwords there):
#   DAMS_GATEWAY_PORT (8080), DAMS_STATE_DIR (.local), DAMS_COLLECTION_SCHEMAS (hazard),
#   DAMS_GATEWAY_HOST (127.0.0.1; 0.0.0.0 lets other machines in),
#   DAMS_FEATURES_PROCESSES and DAMS_TILES_PROCESSES (one process for each processor, at most four),
#   DAMS_REPLICAS (none; the number of streaming replicas of the stack's own database that serve reads),
#   DAMS_DEMO_DATA (yes; no leaves the tables empty, for `make load`),
#   DAMS_IMPACTS (yes; no starts no worker that counts people in zones of events),
#   DAMS_LIVE (no; yes watches live sources, and reports what each loaded or why not),
#   DAMS_NOTIFIER_CONFIG (none; the file of subscriptions whose news are sent),
#   DAMS_DATABASE_URL and DAMS_REDIS_URL (use existing servers; then no demo data are loaded)
# A stack keeps the settings of its last start; `make up ARGS=--forget` starts it without them.
# Of the tests: WORKERS (one more than processors; more would only slow each other down), which share them; 0 for none beside the first

# programs start by the hundred in the tests, and would be compiled each time
unexport PYTHONDONTWRITEBYTECODE
# Node.js from a Python package, on machines that have none or one that is too old
export PATH := $(CURDIR)/.local/tools/bin:$(PATH)

SHELL := /bin/bash
.DEFAULT_GOAL := help

# the former name, for one version
DAMS_STATE_DIR ?= $(or $(STATE_DIR),.local)
export DAMS_STATE_DIR

WORKERS ?= $(shell echo $$(($$(nproc) + 1)))
AUDIT := .local/audit
DOCS := .local/docs
SBOM := .local/sbom
CLIENTS := .local/clients
RELEASES := .local/debian
RELEASE ?= trixie
# files that take long come first: at the end there is something short for each process
QUICK := tests/services/viewer/test_browser.py tests/services/features tests/libs tests/architecture \
	--ignore=tests/services/features/exporting --ignore=tests/libs/cache/test_links.py --ignore=tests/libs/web/test_runner.py
BOOTSTRAP := deploy/local/bootstrap.sh
PYTHON := .venv/bin/python
ESLINT := services/viewer/node_modules/.bin/eslint --config services/viewer/eslint.config.js services/viewer tests/services/viewer
COMPILE := .venv/bin/uv pip compile --quiet --no-config --universal --fork-strategy fewest --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --no-header --override gateway/overrides.in

.PHONY: help up down restart status service doctor watch history logs test test-quick test-faults test-clients test-newer-clients test-filters fidelity walk weigh suites mutants cluster-test check tiles load generate schema stac publish psql bench soak try-fresh format requirements sbom release audit clean environment base-environment publish-environment quick-environment bench-environment check-environment test-environment clients-environment

help: ## This list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-18s %s\n", $$1, $$2 }' Makefile

up: ## Install what is missing, start the stack, print its address
	@$(BOOTSTRAP) run
	@$(PYTHON) -m deploy.local up --build $(ARGS)

down: ## Stop the stack of DAMS_STATE_DIR
	@if [ -x $(PYTHON) ]; then $(PYTHON) -m deploy.local down; else echo "nothing was started: .venv is missing"; fi

restart: ## Restart services and gateway, one process after another, without losing a request
	@$(PYTHON) -m deploy.local restart

status: ## What runs, where it listens
	@$(PYTHON) -m deploy.local status

service: base-environment ## Have systemd start the stack at each reboot: as root for the machine, else for you; make service ARGS=--remove
	@$(PYTHON) -m deploy.local service $(ARGS)

doctor: base-environment ## What is wrong with database, Redis and ports, and the statement that mends it: make doctor DAMS_DATABASE_URL=…
	@$(PYTHON) -m deploy.local doctor

watch: base-environment ## Have changes of a table seen within a second: make watch TABLE=public.roads (as its owner: DAMS_DATABASE_OWNER_URL)
	@$(PYTHON) -m deploy.local watch '$(TABLE)'

history: base-environment ## Keep earlier versions of a table's rows for asOf: make history TABLE=public.roads KEPT='90 days', or KEPT=off
	@$(PYTHON) -m deploy.local history --kept '$(or $(KEPT),90 days)' '$(TABLE)'

logs: ## Follow the logs of the stack
	@$(PYTHON) -m deploy.local logs

test: test-environment ## All tests, on a stack of their own: make test, make test ARGS="tests/services/features -k cursor"
	$(PYTHON) -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder --reruns 1 --rerun-show-tracebacks -m "not slow" $(ARGS)

test-faults: test-environment ## The tests that break what the services stand on, also those that take long
	$(PYTHON) -m pytest -m faults $(ARGS)

test-clients: $(CLIENTS)/.made ## QGIS, R and openapi-generator read the service: installs them, about 1 GB
	$(PYTHON) -m pytest -m clients $(ARGS)

test-newer-clients: test-environment ## As root: QGIS and GDAL of another Debian (RELEASE=trixie) read the service, and its nginx speaks HTTP/3, from a folder of their own, about 2 GB
	bash tests/other_debian.sh $(RELEASES)/$(RELEASE) $(RELEASE)
	DAMS_CLIENTS_ROOT=$(abspath $(RELEASES)/$(RELEASE)) $(PYTHON) -m pytest tests/system/test_qgis.py tests/contract/test_clients.py -k "qgis or gdal" $(ARGS)
	DAMS_CLIENTS_ROOT=$(abspath $(RELEASES)/$(RELEASE)) $(PYTHON) -m pytest tests/gateway/test_http3.py

test-quick: quick-environment ## The tests of libraries, features and scripts, for the loop of work: CONTRIBUTING.md says what is left out
	$(PYTHON) -m pytest -q -n $(WORKERS) --dist loadfile --no-loadscope-reorder --hypothesis-profile quick \
		-m "not stack and not slow" $(or $(ARGS),$(QUICK))

try-fresh: ## As root: what the README and docs/ say, on a fresh system (RELEASE=trixie STEPS="up tutorial" FROM=<release to upgrade from> AGAIN=yes); 3 GB
	@mkdir -p .local
	@bash tools/fresh/try_fresh.sh $(abspath .local/fresh/$(RELEASE)) $(RELEASE) $(CURDIR) $(or $(STEPS),up test-quick bench tutorial upgrade test) \
		| tee .local/fresh-$(RELEASE).txt; exit $${PIPESTATUS[0]}

test-filters: environment ## Thousands of generated filters on databases with nothing but PostGIS, lc_ctype C and UTF-8
	$(PYTHON) -m pytest -q -m slow tests/libs/cql $(ARGS)

fidelity: test-environment ## Compare tiles with rows at every zoom: hard shapes, and with ARGS=http://127.0.0.1:8080/api the lines and areas of a running service
	DAMS_FIDELITY=full $(PYTHON) -m pytest -q -n 2 tests/services/tiles/fidelity
	$(if $(ARGS),$(PYTHON) -m tests.services.tiles.fidelity $(ARGS))

walk: base-environment ## Ask a running service for all that it has: make walk ARGS="http://127.0.0.1:8080/api --only ^public" (DAMS_DATABASE_URL: count geometries)
	@$(PYTHON) -m tools.walk $(ARGS)

weigh: test-environment ## Bytes and requests of maps in a browser, first and second visit: make weigh ARGS="http://127.0.0.1:8080/api --each --seconds 3"
	@$(PYTHON) -m tools.weight $(ARGS)

suites: environment ## The suites of the OGC against a service in their mode, with Java and Maven: make suites ARGS="http://127.0.0.1:8080/api"
	@$(PYTHON) -m tools.suites $(ARGS)

mutants: test-environment ## Break the code in one place at a time and see whether tests notice: make mutants ARGS="libs/selection"
	$(PYTHON) -m tools.mutants $(ARGS)

cluster-test: environment ## Deploy the manifests on the cluster that kubectl leads to, and count what is lost while it changes: make cluster-test ARGS="--clients 4"
	@$(PYTHON) -m tools.cluster $(ARGS)

check: check-environment ## Format, lint, types, import rule, of Python and of the browser's scripts; plain words in texts
	.venv/bin/ruff format --check .
	.venv/bin/ruff check .
	.venv/bin/mypy
	.venv/bin/lint-imports
	$(PYTHON) -m tools.plain_words
	$(ESLINT)
	cd services/viewer && node_modules/.bin/depcruise --config .dependency-cruiser.cjs browser
	cd services/viewer && node_modules/.bin/tsc

soak: test-environment ## Mixed load with random faults on a stack of its own, and whether all stays flat: make soak MINUTES=60
	@$(PYTHON) -m tools.benchmarks.soak --minutes $(or $(MINUTES),60) $(ARGS)

format: check-environment ## Format and fix what can be fixed
	.venv/bin/ruff format .
	.venv/bin/ruff check --fix .
	$(ESLINT) --fix

tiles: ## Make, forget, look at or export tiles: make tiles ARGS="seed hazard.hazard_ts_tracks --zoom 0-6"
	@$(PYTHON) -m deploy.local run services.tiles.command $(ARGS)

load: ## Load hazard data into the stack's own database: make load ARGS="usgs-earthquakes --since P7D", ARGS=list, ARGS=status
	@$(PYTHON) -m deploy.local load $(ARGS)

schema: ## Version of the schema of the stack's own database, and the way back: make schema ARGS=version, ARGS="revert --to 1"
	@$(PYTHON) -m deploy.local schema $(or $(ARGS),version)

generate: ## Make hazard data of any size, as the owner (DAMS_DATABASE_OWNER_URL): make generate ARGS="earthquakes --rows 1000000 --table trial.quakes"
	@$(PYTHON) -m deploy.loader.generate $(ARGS)

stac: publish-environment ## Write the STAC catalogue of the running stack into a folder: make stac TARGET=/tmp/stac (ARGS="--service https://…/api")
	@$(PYTHON) -m deploy.publish stac '$(TARGET)' $(ARGS)

publish: publish-environment ## Publish all collections as GeoParquet, PMTiles and a STAC catalogue: make publish TARGET=/tmp/files, TARGET=s3://bucket/folder (variables AWS_*)
	@$(PYTHON) -m deploy.publish all '$(TARGET)' $(ARGS)

psql: ## Open the stack's own database as its owner, or that of DAMS_DATABASE_URL: make psql, make psql ARGS="-c '\dt hazard.*'"
	@$(PYTHON) -m deploy.local psql $(ARGS)

bench: bench-environment ## Measure the product beside its peers: make bench PEERS=tipg,martin,martin-cached (one workload: ARGS="--only item")
	$(PYTHON) -m tools.benchmarks $(if $(PEERS),--peers $(PEERS)) $(ARGS)
	$(if $(findstring --only,$(ARGS)),,$(PYTHON) -m tools.benchmarks.catalogue)

environment:
	@$(BOOTSTRAP) python

base-environment:
	@$(BOOTSTRAP) base

publish-environment:
	@$(BOOTSTRAP) publish

quick-environment:
	@$(BOOTSTRAP) quick

bench-environment:
	@$(BOOTSTRAP) bench

check-environment:
	@$(BOOTSTRAP) check

test-environment:
	@$(BOOTSTRAP) test

$(CLIENTS)/.made: tests/clients-requirements.txt | clients-environment
	rm -rf $(CLIENTS)
	.venv/bin/uv pip install --quiet --no-config --require-hashes --target $(CLIENTS) -r $<
	touch $@

clients-environment:
	@$(BOOTSTRAP) clients

# Every set is a subset of the development environment, so that tests use the deployed versions.
requirements: environment ## Compile requirements.txt from requirements.in, with hashes
	$(COMPILE) $(UPGRADE) tests/requirements.in -o tests/requirements.txt
	for set in services/common/ services/features/ services/tiles/ services/viewer/ services/viewer/build- \
		gateway/ deploy/local/ deploy/local/run- deploy/database/ deploy/loader/ deploy/impact/ deploy/publish/; do \
		$(COMPILE) -c tests/requirements.txt $${set}requirements.in -o $${set}requirements.txt || exit 1; done
	$(COMPILE) --no-deps deploy/database/demo-requirements.in -o deploy/database/demo-requirements.txt
	$(COMPILE) deploy/local/node-requirements.in -o deploy/local/node-requirements.txt
	$(COMPILE) deploy/audit-requirements.in -o deploy/audit-requirements.txt
	$(COMPILE) tests/s3-requirements.in -o tests/s3-requirements.txt
	$(COMPILE) tests/stac-requirements.in -o tests/stac-requirements.txt
	$(COMPILE) tests/clients-requirements.in -o tests/clients-requirements.txt
	$(COMPILE) -c tests/requirements.txt deploy/docs/requirements.in -o deploy/docs/requirements.txt

$(AUDIT)/.made: deploy/audit-requirements.txt | environment
	.venv/bin/uv venv --quiet --no-config --clear $(AUDIT)
	.venv/bin/uv pip install --quiet --no-config --require-hashes --python $(AUDIT) -r $<
	touch $@

sbom: $(AUDIT)/.made check-environment ## List the packages of each image as CycloneDX, in .local/sbom
	@npm sbom --help >/dev/null 2>&1 || { echo "error: npm 10.2 or newer is needed; this is $$(npm --version)" >&2; exit 1; }
	@mkdir -p $(SBOM)
	@for part in services/common services/features services/tiles services/viewer gateway deploy/database deploy/loader deploy/impact; do \
		$(AUDIT)/bin/cyclonedx-py requirements $$part/requirements.txt --output-reproducible \
			-o $(SBOM)/$${part##*/}.python.cdx.json || exit 1; done
	@for part in services/viewer deploy/database; do \
		(cd $$part && npm sbom --package-lock-only --omit dev --sbom-format cyclonedx --loglevel error) \
			>$(SBOM)/$${part##*/}.npm.cdx.json || exit 1; done
	@ls $(SBOM)/*.json

release: sbom ## Build and check a release in .local/release: sources, images, SBOM, checksums, signature: make release ARGS="--key ~/.ssh/release"
	@$(PYTHON) -m deploy.release $(ARGS)

$(DOCS)/.made: deploy/docs/requirements.txt | environment
	.venv/bin/uv venv --quiet --no-config --clear $(DOCS)
	.venv/bin/uv pip install --quiet --no-config --require-hashes --python $(DOCS) -r $<
	touch $@

# The library of diagrams, so that the site needs no other server. npm prints what it received; the checksum pins it.
MERMAID := mermaid-11.12.0
MERMAID_SHA512 := ZudVx73BwrMJfCFmSSJT84y6u5brEoV8DOItdHomNLz32uBjNrelm7mg95X7g+C6UoQH/W6mBLGDEDv73JdxBg==
$(DOCS)/$(MERMAID).js: | $(DOCS)/.made
	cd $(DOCS) && npm pack $(subst -,@,$(MERMAID)) --silent >/dev/null
	@test "$$(openssl dgst -sha512 -binary $(DOCS)/$(MERMAID).tgz | base64 -w0)" = "$(MERMAID_SHA512)" || { echo "error: $(MERMAID) has another checksum" >&2; exit 1; }
	tar -xzOf $(DOCS)/$(MERMAID).tgz package/dist/mermaid.min.js >$@

.PHONY: docs
docs: $(DOCS)/.made $(DOCS)/$(MERMAID).js ## Build the documentation site into .local/site; open .local/site/index.html
	@$(PYTHON) -m deploy.docs
	@cp $(DOCS)/$(MERMAID).js .local/site-source/mermaid.js && cp deploy/docs/site.css .local/site-source
	@NO_MKDOCS_2_WARNING=1 $(DOCS)/bin/mkdocs build --strict --config-file deploy/docs/mkdocs.yml

audit: $(AUDIT)/.made ## Ask the advisory services about every pinned package: needs the internet
	@$(PYTHON) -m deploy.audit

clean: ## Stop the stack and delete its data, the environment and what was built
	@if [ -x $(PYTHON) ]; then for state in $(DAMS_STATE_DIR)/*/stack.json $(DAMS_STATE_DIR)/stack.json; do \
		[ ! -e $$state ] || DAMS_STATE_DIR=$$(dirname $$state) $(PYTHON) -m deploy.local down --purge; done; fi
	rm -rf .venv .ruff_cache .mypy_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name node_modules -prune -exec rm -rf {} +
	find . -name __pycache__ -prune -exec rm -rf {} +

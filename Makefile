# SPDX-License-Identifier: MIT
# Cairn's build. `make help` lists the targets; boards/<name>/board.mk says how to build for a board.
SHELL         := /bin/sh
.DEFAULT_GOAL := help
MAKEFLAGS     += --no-print-directory

TOOLCHAIN ?= gcc
APP       ?= locate
NODES     ?= 24
NETWORKS  ?= 10
ARGS      ?= $(if $(filter run,$(MAKECMDGOALS)),$(if $(filter locate,$(APP)),--svg build/locate.svg))
# `make run` needs a board, the other targets mean all boards unless one is named.
ONE_BOARD := $(BOARD)
ifeq ($(BOARD),)
override BOARD := $(if $(filter run bench,$(MAKECMDGOALS)),mps2-an386,host)
endif

ifeq ($(wildcard boards/$(BOARD)/board.mk),)
$(error there is no board $(BOARD): BOARD is one of $(sort $(patsubst boards/%/board.mk,%,$(wildcard boards/*/board.mk))))
endif

include boards/$(BOARD)/board.mk
include boards/common/rules.mk

help:
	@echo 'make run            locate a network by its ranges on the emulated Cortex-M4F; BOARD=x elsewhere, APP=x another;'
	@echo '                    DATA=dir a network of your own: ranges.csv, anchors.csv, perhaps start.csv, truth.csv'
	@echo 'make test           everything; ends in "N passed, N failed"; BOARD=x: the tests of one board'
	@echo 'make host           the command line tool, build/host/cairn'
	@echo 'make lint           style and interface rules that a script can check'
	@echo 'make format         every C file as .clang-format says'
	@echo 'make size           code, stack and symbol checks on every board; BOARD=x: one board, function by function'
	@echo 'make golden         same bits on every board, compiler and optimization'
	@echo 'make bench          the tool'"'"'s benches on the host; BOARD=x: instruction counts under the emulator;'
	@echo '                    ARGS=word: only some'
	@echo 'make dwm1001        image and hex of the node for the nRF52832/DW1000 module, sizes checked; not run'
	@echo 'make swarm          emulated nodes whose UARTs are their radios; NODES=24 NETWORKS=10 ROUNDS=60'
	@echo 'make swarm-native   swarms of 24 to 10,000 nodes in virtual time, with verdicts; ARGS=word: only some'
	@echo 'make deps           install the Debian packages that are missing (as root), or say which'
	@echo 'make clean          remove build/'
	@echo 'BOARD: $(BOARDS)'
	@echo 'TOOLCHAIN=gcc|clang OPT=-O0|-O1|-Os|-O2 (default $(BOARD_OPT) on $(BOARD)) VARIANT=|asan|msan|double ARGS="..."'

deps:
	@tests/tools/deps all

# make -q knows whether there is anything to build
say_if_built = $(LOCKED) -q BOARD=$(1) $(2) >/dev/null 2>&1 || echo 'building $(2), with all of the library the first time' >&2

host:
	@tests/tools/deps host
	@$(call say_if_built,host,build/host/cairn)
	@$(LOCKED) BOARD=host tool
	@echo 'build/host/cairn is ready; build/host/cairn --help says what it does'

run:
	@tests/tools/deps $(BOARD)
	@$(call say_if_built,$(BOARD),$(OUT)/apps/$(APP).elf)
	@$(LOCKED) BOARD=$(BOARD) $(OUT)/apps/$(APP).elf
	@boards/$(BOARD)/run $(OUT)/apps/$(APP).elf $(DATA) $(ARGS)

test:
	@tests/tools/deps $(if $(ONE_BOARD),$(BOARD) suite,all)
	@python3 tests/tools/suite.py $(if $(ONE_BOARD),--board $(BOARD) --toolchain $(TOOLCHAIN) --opt=$(OPT) $(addprefix --variant ,$(VARIANT)))

lint:
	@tests/tools/deps lint
	@python3 tests/tools/lint.py

format:
	@tests/tools/deps lint
	@python3 tests/tools/lint.py --format

size:
	@tests/tools/deps $(if $(ONE_BOARD),$(BOARD) suite,all)
	@python3 tests/tools/size.py $(if $(ONE_BOARD),--board $(BOARD))
	$(if $(ONE_BOARD),,@python3 tests/tools/structs.py)

golden:
	@tests/tools/deps all
	@python3 tests/tools/golden.py

bench:
ifeq ($(filter-out host,$(ONE_BOARD)),)
	@$(MAKE) host
	@build/host/cairn bench $(ARGS)
else
	@tests/tools/deps host $(BOARD) suite
	@$(LOCKED) BOARD=$(BOARD) $(OUT)/apps/bench.elf
	@python3 tests/tools/bench.py $(BOARD) $(OUT)/apps/bench.elf $(ARGS)
endif

dwm1001:
	@tests/tools/deps mps2-an386
	@$(LOCKED) BOARD=dwm1001 OPT=-Os build/dwm1001/gcc-Os/apps/node.elf
	@arm-none-eabi-objcopy -O ihex build/dwm1001/gcc-Os/apps/node.elf build/dwm1001/gcc-Os/apps/node.hex
	@arm-none-eabi-size build/dwm1001/gcc-Os/apps/node.elf | awk 'NR == 2 { ram = $$2 + $$3; print "dwm1001 node: " $$1 + \
	    $$2 " bytes of flash (limit 65536), " ram " of RAM with an 8 KB stack (limit 24576); built, not run"; \
	    exit $$1 + $$2 > 65536 || ram > 24576 }'

swarm:
	@tests/tools/deps host lm3s6965evb netduinoplus2
	@$(LOCKED) BOARD=host swarm-tool
	@for board in lm3s6965evb netduinoplus2; do \
	    $(MAKE) BOARD=$$board OPT=-Os build/$$board/gcc-Os/apps/node.elf || exit 1; done
	@build/host/$(TOOLCHAIN)-O2/swarm emulated $(NODES) $(NETWORKS) $(ROUNDS)

swarm-native:
	@tests/tools/deps host
	@$(LOCKED) BOARD=host swarm-tool
	@build/host/$(TOOLCHAIN)-O2/swarm $(ARGS)

clean:
	rm -rf build

.PHONY: dwm1001 swarm swarm-native help deps host run test lint format size golden bench clean

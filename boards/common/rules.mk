# SPDX-License-Identifier: MIT
# How one configuration (board, compiler, optimization, variant) is built under build/<board>/<configuration>/.
# Everything is found by name: dropping a file into its folder is enough.
ifndef BOARD_OPT
$(error boards/common/rules.mk is no makefile of its own: call make in the top folder, with BOARD=name)
endif
BOARDS := host mps2-an386 mps2-an385 mps2-an500 mps3-an547 microbit rv32 rv32imac lm3s6965evb netduinoplus2
OPT    ?= $(BOARD_OPT)
OUT    := build/$(BOARD)/$(TOOLCHAIN)$(OPT)$(addprefix -,$(VARIANT))
JOBS   ?= $(shell nproc)

# Two builds of one configuration at the same time would write the same files: the second waits.
LOCKED = mkdir -p $(OUT) && flock $(OUT)/lock $(MAKE) -s -j$(JOBS) TOOLCHAIN=$(TOOLCHAIN) OPT=$(OPT) VARIANT=$(VARIANT)

WARNINGS := -Wall -Wextra -Wconversion -Wdouble-promotion -Wfloat-conversion -Wshadow -Wvla -Wundef -Wcast-qual \
            -Wstrict-prototypes -Wmissing-prototypes -Werror
ifeq ($(VARIANT),double)
# float constants are promoted everywhere in this build, and exactly
WARNINGS := $(filter-out -Wdouble-promotion,$(WARNINGS))
VARIANT_FLAGS := -DCAIRN_REAL_DOUBLE
endif
ifeq ($(VARIANT),asan)
VARIANT_FLAGS := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
LINK_FLAGS    += -fsanitize=address,undefined
ifeq ($(TOOLCHAIN),gcc)
WARNINGS := -w # gcc warns of paths that the sanitizers' checks make up; the plain builds judge
endif
endif
ifeq ($(VARIANT),msan)
$(if $(filter gcc,$(TOOLCHAIN)),$(error VARIANT=msan needs TOOLCHAIN=clang: gcc has no such sanitizer))
VARIANT_FLAGS := -fsanitize=memory -fno-omit-frame-pointer
LINK_FLAGS    += -fsanitize=memory
endif
# gcc (10 or later) tells, beside the objects, of the stacks and calls that tests/tools/size.py reads.
ifeq ($(filter host,$(BOARD))$(TOOLCHAIN)$(OPT)$(VARIANT),gcc-Os)
VARIANT_FLAGS := -fstack-usage -fcallgraph-info=su,da
endif

STANDARD ?= -std=c99
DEBUG_INFO := -g # the tests need lines only: a fifth of the compilers' time
# Nobody looks at errno: sqrtf is then one instruction where the processor has it.
COMMON   := $(STANDARD) -pedantic $(OPT) $(DEBUG_INFO) $(CPU_FLAGS) $(WARNINGS) $(VARIANT_FLAGS) -ffp-contract=off -fno-math-errno \
            -ffunction-sections -fdata-sections -Iinclude -MMD -MP
LIBRARY  := $(COMMON) -Isrc $(if $(filter gcc,$(TOOLCHAIN)),-Wunsuffixed-float-constants)
PROGRAM  := $(COMMON) -Iport -Isrc -Itests -Iboards -Iboards/host/cli -DBOARD_NAME='"$(BOARD)"' -DBUILD_FOLDER='"$(OUT)"' \
            $(BOARD_DEFINES)

IN_DOUBLE := -Wno-double-promotion -DCAIRN_REAL_DOUBLE

# The tests of small things, not what they test, which stays as OPT says: optimizing them takes longer than they run.
# gcc in float optimizes them, on the host as on the boards.
TEST_OPT := $(if $(filter hostclang% hostgcc-double,$(BOARD)$(TOOLCHAIN)$(addprefix -,$(VARIANT))),-O0)

objects = $(patsubst %.c,$(OUT)/obj/%.o,$(1))

LIBRARY_SOURCES := $(sort $(wildcard src/*/*.c))
# A board with a radio port replaces the one of its port that has none. Ports that reach a host's files share the rest.
PORT_SOURCES    := $(sort $(filter-out $(if $(PORT_RADIO),port/$(PORT)/radio_%),$(wildcard port/$(PORT)/*.c)) \
                     $(if $(PORT_RADIO),$(wildcard port/$(PORT_RADIO)/*.c)) \
                     $(if $(filter posix semihosting,$(PORT)),$(wildcard port/hostfile/*.c))) \
                   $(filter boards/common/libc%,$(STARTUP))
SUPPORT_SOURCES := $(sort $(wildcard tests/support/*.c))
# Oracles in double, which bring a library in double along.
DOUBLE_SOURCES  := $(sort $(wildcard tests/bench/*_double.c))
TOOL_SOURCES    := $(filter-out $(DOUBLE_SOURCES),$(sort $(wildcard boards/host/cli/*.c tests/bench/*.c)))
SWARM_SOURCES   := $(sort $(wildcard tests/swarm/*.c))
TEST_SOURCES    := $(sort $(filter-out tests/host/%,$(wildcard tests/*/test_*.c)))
# A test that can't be made small says so in its source, `needs ram: BYTES`, and is skipped, visibly, where there's less.
BOARD_RAM       := $(patsubst -DBOARD_RAM_BYTES=%,%,$(filter -DBOARD_RAM_BYTES=%,$(BOARD_DEFINES)))
TESTS_TOO_LARGE := $(shell grep -oE 'needs ram: [0-9]+' /dev/null $(TEST_SOURCES) | \
                     awk -F'[: ]+' '$$NF > $(BOARD_RAM) { print $$1 }')
TEST_SOURCES    := $(filter-out $(TESTS_TOO_LARGE),$(TEST_SOURCES))
# They test the tool and what many networks do; in double the library is what others are compared with.
HOST_TESTS      := $(if $(filter host,$(BOARD)$(filter double,$(VARIANT))),$(sort $(wildcard tests/host/test_*.c)))
GOLDEN_SOURCES  := $(sort $(wildcard tests/golden/golden_*.c))
APP_COMMON      := $(sort $(wildcard boards/apps/common/*.c))
APP_NAMES       := $(filter-out common,$(sort $(patsubst boards/apps/%/,%,$(dir $(wildcard boards/apps/*/*.c)))))

# What another configuration compiles with the same flags isn't compiled again: the file is copied when it differs.
borrow = mkdir -p $(dir $(1)) && flock $(dir $(1))lock $(MAKE) -s $(2) $(1) && { cmp -s $(1) $@ || cp $(1) $@; }
ifneq ($(LIBRARY_OF),)
LENT_LIBRARY := build/$(LIBRARY_OF)/$(TOOLCHAIN)$(OPT)/libcairn.a
LENDER       := BOARD=$(LIBRARY_OF)
ifneq ($(strip $(BOARD_CPU)),$(strip $(shell sed -n 's/^BOARD_CPU *:=//p' boards/$(LIBRARY_OF)/board.mk)))
$(error boards/$(BOARD)/board.mk: LIBRARY_OF is a board with the same BOARD_CPU, and $(LIBRARY_OF) has another)
endif
else ifeq ($(BOARD)-$(VARIANT),host-double)
LENT_LIBRARY := build/host/$(TOOLCHAIN)$(OPT)/oracles.a
LENDER       := VARIANT=
endif
# The oracles judge sanitized code; they're not themselves sanitized.
ifeq ($(BOARD)-$(VARIANT),host-asan)
LENT_ORACLES := build/host/gcc-O2/oracles.o
endif

LIBCAIRN   := $(OUT)/libcairn.a
LIBPORT    := $(OUT)/libport.a
LIBSUPPORT := $(OUT)/libsupport.a
LIBTOOL    := $(OUT)/libtool.a
LIBAPPS    := $(OUT)/libapps.a
STARTUP_OBJECTS := $(call objects,$(filter-out boards/common/libc%,$(STARTUP)))

TEST_PROGRAMS   := $(patsubst tests/%.c,$(OUT)/tests/%.elf,$(TEST_SOURCES) $(HOST_TESTS))
GOLDEN_PROGRAMS := $(patsubst tests/%.c,$(OUT)/tests/%.elf,$(GOLDEN_SOURCES))
APP_PROGRAMS    := $(patsubst %,$(OUT)/apps/%.elf,$(APP_NAMES))

library: $(LIBCAIRN)
tests: $(TEST_PROGRAMS)
golden-programs: $(GOLDEN_PROGRAMS)
apps: $(APP_PROGRAMS)
tool: build/host/cairn
# For scripts: where the programs are.
print-%:
	@echo $($*)

MAKEFILES_READ := Makefile boards/$(BOARD)/board.mk $(wildcard boards/common/*.mk)

$(OUT)/obj/src/%.o: src/%.c $(MAKEFILES_READ)
	@mkdir -p $(@D)
	@$(CC) $(LIBRARY) -c -o $@ $<

$(OUT)/obj/%.o: %.c $(MAKEFILES_READ)
	@mkdir -p $(@D)
	@$(CC) $(PROGRAM) -c -o $@ $<

$(OUT)/obj/double/src/%.o: src/%.c $(MAKEFILES_READ)
	@mkdir -p $(@D)
	@$(CC) $(LIBRARY) $(IN_DOUBLE) -c -o $@ $<

$(OUT)/obj/double/%.o: %.c $(MAKEFILES_READ)
	@mkdir -p $(@D)
	@$(CC) $(PROGRAM) $(IN_DOUBLE) -c -o $@ $<

$(call objects,$(TEST_SOURCES)): PROGRAM += $(TEST_OPT)

ifdef LENT_ORACLES
$(OUT)/oracles.o: borrowed
	+@$(call borrow,$(LENT_ORACLES),TOOLCHAIN=gcc OPT=-O2 VARIANT=)
else
# One object with what it needs of the library; those names, and what gcc's sanitizer derives of them (__odr_asan.), are its
# own, so that the float library fits beside it.
$(OUT)/oracles.o: $(call objects,$(addprefix double/,$(DOUBLE_SOURCES))) $(OUT)/oracles.a
	@$(LINK) -r -nostdlib -o $@.all $^
	@objcopy --wildcard --localize-symbol='*cairn_*' $@.all $@

$(OUT)/oracles.a: $(call objects,$(addprefix double/,$(LIBRARY_SOURCES))) $(OUT)/sources
	@rm -f $@
	@$(AR) qcsD $@ $(filter %.o,$^)
endif

ifdef LENT_LIBRARY
$(LIBCAIRN): borrowed
	+@$(call borrow,$(LENT_LIBRARY),$(LENDER))
else
$(LIBCAIRN): $(call objects,$(LIBRARY_SOURCES))
endif
$(LIBPORT): $(call objects,$(PORT_SOURCES))
$(LIBSUPPORT): $(call objects,$(SUPPORT_SOURCES))
$(LIBTOOL): $(call objects,$(TOOL_SOURCES))
$(LIBAPPS): $(call objects,$(APP_COMMON))

# A removed source must leave the archive too, so it's always made anew; this file changes when the set of sources does.
SOURCES_NOW := $(strip $(LIBRARY_SOURCES) $(PORT_SOURCES) $(SUPPORT_SOURCES) $(TOOL_SOURCES) $(DOUBLE_SOURCES) $(APP_COMMON))
# Only where something is built: the targets of the top Makefile call make again for that.
BUILT_HERE  := $(filter-out help deps host run test lint format size golden bench dwm1001 swarm swarm-native clean \
                 print-%,$(or $(MAKECMDGOALS),help))
ifneq ($(and $(BUILT_HERE),$(subst $(strip $(file < $(OUT)/sources)),,$(SOURCES_NOW))),)
$(shell mkdir -p $(OUT))
$(file > $(OUT)/sources,$(SOURCES_NOW))
endif

# q, not r: two sources may have the same name in different folders
$(OUT)/lib%.a: $(OUT)/sources
	@rm -f $@
	@$(AR) qcsD $@ $(filter %.o,$^)

link = mkdir -p $(@D) && $(LINK) $(LINK_FLAGS) -o $@ $(filter %.o,$^) \
       -Wl,--start-group $(filter %.a,$^) -Wl,--end-group $(LINK_LIBS)
LINK_INPUTS := $(STARTUP_OBJECTS) $(LIBSUPPORT) $(LIBCAIRN) $(LIBPORT) \
               $(wildcard boards/$(BOARD)/link.ld boards/common/*.ld)

$(OUT)/tests/host/%.elf: $(OUT)/obj/tests/host/%.o $(LINK_INPUTS) $(LIBTOOL)
	@$(link)

$(OUT)/tests/%.elf: $(OUT)/obj/tests/%.o $(LINK_INPUTS)
	@$(link)

# Libraries that an app and its neighbours share stay out of the image unless used.
define app_rule
$(OUT)/apps/$(1).elf: $(call objects,$(sort $(wildcard boards/apps/$(1)/*.c))) $(LIBAPPS) $(LINK_INPUTS)
	@$$(link)
endef
$(foreach app,$(APP_NAMES),$(eval $(call app_rule,$(app))))

ifeq ($(BOARD),host)
swarm-tool: $(OUT)/swarm
$(OUT)/swarm: $(call objects,$(SWARM_SOURCES)) $(LIBTOOL) $(LIBCAIRN) $(LIBPORT)
	@$(link)

build/host/cairn: $(OUT)/cairn
	@cp $< $@.new && mv $@.new $@

$(OUT)/cairn: $(call objects,$(TOOL_SOURCES)) $(OUT)/oracles.o $(LIBCAIRN) $(LIBPORT)
	@$(link)
endif

.PHONY: borrowed library tests golden-programs apps tool swarm-tool
# objects stay: they're what makes the next build quick
.SECONDARY:

ifneq ($(BUILT_HERE),)
-include $(shell [ -d $(OUT)/obj ] && find $(OUT)/obj -name '*.d')
endif

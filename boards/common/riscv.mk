# SPDX-License-Identifier: MIT
# RV32 boards: gcc or clang compiles, gcc links, picolibc's headers and libm without its start-up.
# -misa-spec=2.2: with newer names (zicsr) Debian's gcc picks the 64-bit libgcc and says nothing.
BOARD_OPT ?= -Os
PORT      := semihosting
CROSS     := riscv64-unknown-elf-
STARTUP   := boards/common/startup.c boards/common/startup_riscv.c
PICOLIBC  := /usr/lib/picolibc/riscv64-unknown-elf
ISA       := -march=$(BOARD_MARCH) -mabi=$(BOARD_MABI) -mcmodel=medany
ifeq ($(TOOLCHAIN),clang)
CC        := clang --target=riscv32-unknown-elf $(ISA) -mno-relax
else
CC        := $(CROSS)gcc -misa-spec=2.2 $(ISA) -msmall-data-limit=0
endif
CPU_FLAGS := -isystem $(PICOLIBC)/include
AR         := $(CROSS)ar
NM         := $(CROSS)nm
SIZE       := $(CROSS)size
LINK       := $(CROSS)gcc -misa-spec=2.2 $(ISA)
LINK_FLAGS := -nostdlib -nostartfiles -Wl,--gc-sections,-z,noexecstack -Lboards/common -Tboards/$(BOARD)/link.ld
LINK_LIBS  := -L$(PICOLIBC)/lib/$(BOARD_MARCH)/$(BOARD_MABI) -lm -lc -lgcc

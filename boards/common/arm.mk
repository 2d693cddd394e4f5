# SPDX-License-Identifier: MIT
# Cortex-M boards: gcc or clang compiles, gcc links, newlib's libm.
BOARD_OPT ?= -Os
PORT      := semihosting
CROSS     := arm-none-eabi-
STARTUP   := boards/common/startup.c boards/common/startup_cortexm.c boards/common/libc_errno.c
ifeq ($(TOOLCHAIN),clang)
CC        := clang $(BOARD_CLANG)
# gcc for bare metal packs enums, and so do its libraries
CPU_FLAGS := $(BOARD_CPU) -fshort-enums -isystem /usr/include/newlib
else
CC        := $(CROSS)gcc
CPU_FLAGS := $(BOARD_CPU)
endif
AR         := $(CROSS)ar
NM         := $(CROSS)nm
SIZE       := $(CROSS)size
LINK       := $(CROSS)gcc $(BOARD_CPU)
LINK_FLAGS := -nostdlib -nostartfiles -Wl,--gc-sections,-z,noexecstack -Lboards/common -Tboards/$(BOARD)/link.ld
LINK_LIBS  := -lm -lc_nano -lgcc

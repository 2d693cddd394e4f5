# SPDX-License-Identifier: MIT
# The machine that builds: tests run natively, and the command line tool lives here.
BOARD_DEFINES := -DBOARD_RAM_BYTES=1048576
BOARD_OPT     := -O2
PORT          := posix
CC            := $(TOOLCHAIN)
AR            := ar
NM            := nm
SIZE          := size
LINK          := $(CC)
LINK_FLAGS    := -Wl,--gc-sections
LINK_LIBS     := -lm

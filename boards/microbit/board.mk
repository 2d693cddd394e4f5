# SPDX-License-Identifier: MIT
# BBC micro:bit, a Cortex-M0: no FPU, 16 KB of RAM, faults on unaligned access.
BOARD_CPU     := -mcpu=cortex-m0 -mthumb
BOARD_CLANG   := --target=armv6m-none-eabi
BOARD_DEFINES := -DBOARD_SYSTICK_HZ=16000000u -DBOARD_RAM_BYTES=16384
include boards/common/arm.mk

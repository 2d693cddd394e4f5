# SPDX-License-Identifier: MIT
# Arm MPS2 with a Cortex-M3: no FPU.
BOARD_CPU     := -mcpu=cortex-m3 -mthumb
BOARD_CLANG   := --target=armv7m-none-eabi
BOARD_DEFINES := -DBOARD_SYSTICK_HZ=25000000u -DBOARD_RAM_BYTES=65536 -DBOARD_STACK_GUARD
include boards/common/arm.mk

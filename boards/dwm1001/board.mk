# SPDX-License-Identifier: MIT
# DWM1001: nRF52832 (Cortex-M4F) and a DW1000 ultra-wideband radio. Built and measured; there is no emulator to run it.
BOARD_CPU     := -mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=hard
BOARD_CLANG   := --target=armv7em-none-eabihf
BOARD_DEFINES := -DBOARD_SYSTICK_HZ=64000000u -DBOARD_RAM_BYTES=65536 -DBOARD_STACK_GUARD
include boards/common/arm.mk
PORT          := dwm1001

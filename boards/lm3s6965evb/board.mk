# SPDX-License-Identifier: MIT
# Stellaris LM3S6965, a Cortex-M3 whose emulated UARTs carry radio frames.
BOARD_CPU     := -mcpu=cortex-m3 -mthumb
BOARD_CLANG   := --target=armv7m-none-eabi
BOARD_DEFINES := -DBOARD_SYSTICK_HZ=12500000u -DBOARD_RAM_BYTES=65536 -DBOARD_STACK_GUARD -DUART_PL011
LIBRARY_OF    := mps2-an385
PORT_RADIO    := uart-radio
include boards/common/arm.mk

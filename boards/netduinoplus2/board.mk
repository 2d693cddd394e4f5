# SPDX-License-Identifier: MIT
# STM32F405, a Cortex-M4F whose emulated UARTs carry radio frames.
BOARD_CPU     := -mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=hard
BOARD_CLANG   := --target=armv7em-none-eabihf
BOARD_DEFINES := -DBOARD_SYSTICK_HZ=168000000u -DBOARD_RAM_BYTES=114688 -DBOARD_STACK_GUARD -DUART_STM32
LIBRARY_OF    := mps2-an386
PORT_RADIO    := uart-radio
include boards/common/arm.mk

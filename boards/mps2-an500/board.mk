# SPDX-License-Identifier: MIT
# Arm MPS2 with a Cortex-M7 and a single-precision FPU.
BOARD_CPU     := -mcpu=cortex-m7 -mthumb -mfpu=fpv5-sp-d16 -mfloat-abi=hard
BOARD_CLANG   := --target=armv7em-none-eabihf
BOARD_DEFINES := -DBOARD_SYSTICK_HZ=25000000u -DBOARD_RAM_BYTES=65536 -DBOARD_STACK_GUARD
include boards/common/arm.mk

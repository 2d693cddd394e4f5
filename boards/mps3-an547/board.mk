# SPDX-License-Identifier: MIT
# Arm MPS3 with a Cortex-M55: FPU and vectors (MVE).
BOARD_CPU     := -mcpu=cortex-m55 -mthumb -mfloat-abi=hard
# clang 14 crashes in its MVE tail predication on some loops: no automatic vectors there, gcc has them
BOARD_CLANG   := --target=armv8.1m.main-none-eabihf -fno-vectorize
BOARD_DEFINES := -DBOARD_SYSTICK_HZ=32000000u -DBOARD_RAM_BYTES=65536 -DBOARD_STACK_GUARD
include boards/common/arm.mk

# SPDX-License-Identifier: MIT
# Arm MPS3 with a Cortex-M55: FPU and vectors (MVE).
BOARD_CPU     := -mcpu=cortex-m55 -mthumb -mfloat-abi=hard
# clang 14 crashes vectorizing some reductions for MVE (and minds no -fno-vectorize): gcc has the vectors
BOARD_CLANG   := --target=armv8.1m.main-none-eabihf -mllvm -vectorize-loops=false
BOARD_DEFINES := -DBOARD_SYSTICK_HZ=32000000u -DBOARD_RAM_BYTES=65536 -DBOARD_STACK_GUARD
include boards/common/arm.mk

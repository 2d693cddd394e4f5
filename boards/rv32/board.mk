# SPDX-License-Identifier: MIT
# RISC-V virt machine, RV32 with single-precision F.
BOARD_MARCH   := rv32imafc
BOARD_MABI    := ilp32f
BOARD_DEFINES := -DBOARD_RAM_BYTES=65536 -DBOARD_STACK_GUARD
include boards/common/riscv.mk

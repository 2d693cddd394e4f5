# SPDX-License-Identifier: MIT
# RISC-V virt machine, RV32 without F.
BOARD_MARCH   := rv32imac
BOARD_MABI    := ilp32
BOARD_DEFINES := -DBOARD_RAM_BYTES=65536 -DBOARD_STACK_GUARD
include boards/common/riscv.mk

/* SPDX-License-Identifier: MIT */
/* errno for the libm of newlib: its own drags in a reentrancy structure of up to 1 KB of RAM. */
int *__errno(void); /* newlib's name */

static int error_number;

int *__errno(void) { return &error_number; }

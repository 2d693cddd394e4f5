/* SPDX-License-Identifier: MIT
 * The library's clustering in double: the oracle of its float labels. */
#define PIC_RUN pic_run_double

#include "pic_run.c"

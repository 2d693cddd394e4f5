/* SPDX-License-Identifier: MIT */
/* Networks compiled into the image as the text of their CSV files. */
#ifndef LOCATE_SAMPLE_H
#define LOCATE_SAMPLE_H

#include <stddef.h>

/* Each text: strings that make the file when joined, then NULL. */
typedef struct {
    const char *name;
    const char *const *ranges;
    const char *const *anchors;
    const char *const *truth;
} sample_t;

extern const sample_t sample_large; /* 200 nodes: 64 KB boards */
extern const sample_t sample_small; /* 40 nodes: 16 KB boards */

#endif

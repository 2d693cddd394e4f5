/* SPDX-License-Identifier: MIT */
/* Flash memory for tests: it writes only where it is erased, counts, loses its power and fails. */
#ifndef CAIRN_TEST_FLASH_H
#define CAIRN_TEST_FLASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct flash {
    uint8_t *bytes; /* [pages x page_bytes] */
    size_t page_bytes;
    long power;         /* bytes that may still change; negative: no end */
    unsigned n_written; /* pages */
    bool failed;        /* reads fail */
} flash_t;

/* All bytes `fill`, power without end; bytes [pages x page_bytes] are kept. */
void flash_init(flash_t *self, uint8_t *bytes, size_t pages, size_t page_bytes, uint8_t fill);

/* The functions of a cairn_snapshot_store_t; ctx: a flash_t. */
int flash_read(void *ctx, unsigned page, uint8_t *bytes);
int flash_erase(void *ctx, unsigned page);
int flash_write(void *ctx, unsigned page, const uint8_t *bytes);

#endif

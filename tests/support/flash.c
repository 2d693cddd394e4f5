/* SPDX-License-Identifier: MIT */
#include "flash.h"

#include <string.h>

void flash_init(flash_t *self, uint8_t *bytes, size_t pages, size_t page_bytes, uint8_t fill)
{
    memset(self, 0, sizeof *self);
    memset(bytes, fill, pages * page_bytes);
    self->bytes = bytes;
    self->page_bytes = page_bytes;
    self->power = -1;
}

/* Once the power is gone the rest stays as it is. */
static bool spend(flash_t *self)
{
    if (self->power == 0) {
        return false;
    }
    self->power -= self->power > 0;
    return true;
}

int flash_read(void *ctx, unsigned page, uint8_t *bytes)
{
    const flash_t *self = ctx;
    memcpy(bytes, self->bytes + page * self->page_bytes, self->page_bytes);
    return self->failed ? -1 : 0;
}

int flash_erase(void *ctx, unsigned page)
{
    flash_t *self = ctx;
    for (size_t i = 0; i < self->page_bytes; i++) {
        if (!spend(self)) {
            return -1;
        }
        self->bytes[page * self->page_bytes + i] = 0xFF;
    }
    return 0;
}

int flash_write(void *ctx, unsigned page, const uint8_t *bytes)
{
    flash_t *self = ctx;
    self->n_written++;
    for (size_t i = 0; i < self->page_bytes; i++) {
        uint8_t *at = &self->bytes[page * self->page_bytes + i];
        if (*at != 0xFF || !spend(self)) {
            return -1;
        }
        *at = bytes[i];
    }
    return 0;
}

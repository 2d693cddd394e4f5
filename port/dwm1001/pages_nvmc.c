/* SPDX-License-Identifier: MIT */
/* Non-volatile pages in the upper half of the flash: each has a flash page of 4096 bytes of its own, since no less can be
   erased. The processor stands still meanwhile: 85 ms for an erase, 41 us for a word. */
#include "port.h"

#include "dwm1001/nrf52.h"

#include <string.h>

#define PAGES_BASE 0x40000u
#define FLASH_PAGE 4096u

static void set_mode(uint32_t mode)
{
    NVMC_CONFIG = mode;
    while (NVMC_READY == 0u) {
    }
}

port_status_t port_page_read(unsigned page, uint8_t *bytes)
{
    if (page >= PORT_PAGES || bytes == NULL) {
        return PORT_ERR_ARG;
    }
    memcpy(bytes, (const void *)(uintptr_t)(PAGES_BASE + page * FLASH_PAGE), PORT_PAGE_BYTES);
    return PORT_OK;
}

port_status_t port_page_write(unsigned page, const uint8_t *bytes)
{
    if (page >= PORT_PAGES || bytes == NULL) {
        return PORT_ERR_ARG;
    }
    const uint32_t base = PAGES_BASE + page * FLASH_PAGE;
    for (uint32_t at = 0u; at < PORT_PAGE_BYTES; at += 4u) {
        if (NRF(base + at) != 0xFFFFFFFFu) {
            return PORT_ERR_NOT_ERASED;
        }
    }
    set_mode(1u);
    for (uint32_t at = 0u; at < PORT_PAGE_BYTES; at += 4u) {
        uint32_t word;
        memcpy(&word, bytes + at, sizeof word);
        NRF(base + at) = word;
        while (NVMC_READY == 0u) {
        }
    }
    set_mode(0u);
    return memcmp((const void *)(uintptr_t)base, bytes, PORT_PAGE_BYTES) == 0 ? PORT_OK : PORT_ERR_IO;
}

port_status_t port_page_erase(unsigned page)
{
    if (page >= PORT_PAGES) {
        return PORT_ERR_ARG;
    }
    set_mode(2u);
    NVMC_ERASEPAGE = PAGES_BASE + page * FLASH_PAGE;
    while (NVMC_READY == 0u) {
    }
    set_mode(0u);
    return PORT_OK;
}

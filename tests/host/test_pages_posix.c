/* SPDX-License-Identifier: MIT */
/* The file behind the pages may end too early: a full disk, or an end between its making and its first fill. */
#define _POSIX_C_SOURCE 200809L

#include "port.h"

#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file of that many bytes, 0xA5 each. */
static void make_file(const char *path, size_t length)
{
    FILE *file = fopen(path, "wb");
    REQUIRE(file != NULL);
    for (size_t i = 0; i < length; ++i) {
        CHECK_EQ(fputc(0xA5, file), 0xA5);
    }
    CHECK_EQ(fclose(file), 0);
}

TEST(test_pages_should_be_erased_where_their_file_ends_when_it_is_short)
{
    static const size_t lengths[] = {
        0, 1, 31, 32, PORT_PAGE_BYTES - 1, PORT_PAGE_BYTES, PORT_PAGE_BYTES + 33, PORT_PAGES * PORT_PAGE_BYTES};
    char path[] = "/tmp/cairn-pages-XXXXXX";
    uint8_t page[PORT_PAGE_BYTES];
    int handle = mkstemp(path);
    REQUIRE(handle >= 0);
    CHECK_EQ(close(handle), 0);
    CHECK_EQ(setenv("CAIRN_PAGES", path, 1), 0);
    for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; ++k) {
        size_t n_wrong = 0;
        make_file(path, lengths[k]);
        for (unsigned i = 0; i < PORT_PAGES; ++i) {
            CHECK_EQ(port_page_read(i, page), PORT_OK);
            for (size_t at = 0; at < PORT_PAGE_BYTES; ++at) {
                n_wrong += page[at] != (i * (size_t)PORT_PAGE_BYTES + at < lengths[k] ? 0xA5u : 0xFFu) ? 1u : 0u;
            }
        }
        CHECK_EQ(n_wrong, 0);
    }
    CHECK_EQ(remove(path), 0);
    memset(page, 0x5A, sizeof page); /* a file that is not there yet */
    CHECK_EQ(port_page_write(PORT_PAGES - 1, page), PORT_OK);
    CHECK_EQ(port_page_write(PORT_PAGES - 1, page), PORT_ERR_NOT_ERASED);
    CHECK_EQ(remove(path), 0);
}

TEST_MAIN(TEST_CASE(test_pages_should_be_erased_where_their_file_ends_when_it_is_short))

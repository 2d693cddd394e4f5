/* SPDX-License-Identifier: MIT */
/* The port layer keeps its contract on this target. */
#include "port.h"

#include "support/test.h"

#include <string.h>

/* pages at the end of the range, which no app uses */
enum { PAGE = PORT_PAGES - 1 };

TEST(test_time_should_not_go_back_when_read_often)
{
    uint64_t last_us = port_time_us();
    for (int i = 0; i < 1000; ++i) {
        uint64_t now_us = port_time_us();
        CHECK(now_us >= last_us);
        last_us = now_us;
    }
}

TEST(test_counter_should_advance_when_work_is_done)
{
    uint64_t begin = port_counter();
    uint64_t now = begin;
    /* an emulator's timer starts when the host gets round to it */
    for (uint32_t i = 0; i < 2000000u && now == begin; ++i) {
        now = port_counter();
    }
    CHECK(now > begin);
    CHECK(strlen(port_counter_unit()) > 0u);
}

TEST(test_entropy_should_differ_when_asked_again)
{
    uint32_t words[4] = {0u, 0u, 0u, 0u};
    for (size_t i = 0; i < 4u; ++i) {
        port_status_t status = port_entropy(&words[i]);
        if (status == PORT_UNSUPPORTED) {
            SKIP("no entropy on this target");
        }
        CHECK_EQ(status, PORT_OK);
    }
    CHECK(words[0] != words[1] || words[2] != words[3]);
    CHECK_EQ(port_entropy(NULL), PORT_ERR_ARG);
}

TEST(test_page_should_hold_what_was_written_when_erased_before)
{
    uint8_t page[PORT_PAGE_BYTES];
    for (size_t i = 0; i < sizeof page; ++i) {
        page[i] = (uint8_t)(i * 7u + 3u);
    }
    REQUIRE(port_page_erase(PAGE) == PORT_OK);
    CHECK_EQ(port_page_write(PAGE, page), PORT_OK);
    CHECK_EQ(port_page_write(PAGE, page), PORT_ERR_NOT_ERASED);
    memset(page, 0, sizeof page);
    CHECK_EQ(port_page_read(PAGE, page), PORT_OK);
    CHECK_EQ(page[0], 3);
    CHECK_EQ(page[PORT_PAGE_BYTES - 1], (uint8_t)((PORT_PAGE_BYTES - 1) * 7 + 3));
    CHECK_EQ(port_page_erase(PAGE), PORT_OK);
    CHECK_EQ(port_page_read(PAGE, page), PORT_OK);
    CHECK_EQ(page[0], 0xFF);
    CHECK_EQ(port_page_read(PAGE - 1, page), PORT_OK); /* its neighbour is untouched */
    CHECK_EQ(page[PORT_PAGE_BYTES - 1], 0xFF);
}

TEST(test_page_should_be_refused_when_out_of_range)
{
    uint8_t page[PORT_PAGE_BYTES];
    CHECK_EQ(port_page_read(PORT_PAGES, page), PORT_ERR_ARG);
    CHECK_EQ(port_page_write(PORT_PAGES, page), PORT_ERR_ARG);
    CHECK_EQ(port_page_erase(PORT_PAGES), PORT_ERR_ARG);
    CHECK_EQ(port_page_read(0, NULL), PORT_ERR_ARG);
    CHECK_EQ(port_page_write(0, NULL), PORT_ERR_ARG);
}

TEST(test_file_should_read_back_when_written)
{
    static const char path[] = BUILD_FOLDER "/test-port.txt";
    static const char text[] = "a line\nand another\n";
    char back[sizeof text + 8u];
    port_file_t file;
    size_t length = 99u;
    REQUIRE(port_file_open(&file, path, 1) == PORT_OK);
    CHECK_EQ(port_file_write(&file, text, 7u), PORT_OK);
    CHECK_EQ(port_file_write(&file, text + 7, sizeof text - 8u), PORT_OK);
    CHECK_EQ(port_file_close(&file), PORT_OK);
    REQUIRE(port_file_open(&file, path, 0) == PORT_OK);
    CHECK_EQ(port_file_read(&file, back, sizeof back, &length), PORT_OK);
    CHECK_EQ(length, sizeof text - 1u);
    CHECK_MEM(back, text, sizeof text - 1u);
    CHECK_EQ(port_file_read(&file, back, sizeof back, &length), PORT_EMPTY);
    CHECK_EQ(length, 0u);
    CHECK_EQ(port_file_close(&file), PORT_OK);
}

TEST(test_file_should_be_refused_when_it_is_not_there)
{
    port_file_t file = {0};
    CHECK_EQ(port_file_open(&file, "build/no/such/file", 0), PORT_ERR_IO);
    CHECK_EQ(port_file_open(NULL, "build/x", 0), PORT_ERR_ARG);
    CHECK_EQ(port_file_open(&file, NULL, 0), PORT_ERR_ARG);
}

TEST(test_radio_should_refuse_a_frame_when_its_length_is_wrong)
{
    uint8_t frame[PORT_FRAME_BYTES_MAX + 1] = {0};
    size_t length = 99u;
    CHECK(port_radio_send(frame, 0u) < 0);
    CHECK(port_radio_send(frame, sizeof frame) < 0);
    CHECK(port_radio_send(NULL, 1u) < 0);
    CHECK(port_radio_receive(frame, 1u, &length) < 0);
}

TEST_MAIN(TEST_CASE(test_time_should_not_go_back_when_read_often),
          TEST_CASE(test_counter_should_advance_when_work_is_done),
          TEST_CASE(test_entropy_should_differ_when_asked_again),
          TEST_CASE(test_page_should_hold_what_was_written_when_erased_before),
          TEST_CASE(test_page_should_be_refused_when_out_of_range), TEST_CASE(test_file_should_read_back_when_written),
          TEST_CASE(test_file_should_be_refused_when_it_is_not_there),
          TEST_CASE(test_radio_should_refuse_a_frame_when_its_length_is_wrong))

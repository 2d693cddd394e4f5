/* SPDX-License-Identifier: MIT */
/* Numbers as text, through a file and back. */
#include "support/test.h"

#include "apps/common/writer.c"

enum { TEXT_BYTES = 256 };

static const char path[] = BUILD_FOLDER "/tests/writer.txt";
static char text[TEXT_BYTES];

/* What was written, read back. */
static const char *written(writer_t *writer)
{
    port_file_t file;
    size_t length = 0, n;
    CHECK(writer_close(writer));
    text[0] = '\0';
    if (port_file_open(&file, path, 0) != PORT_OK) {
        return text;
    }
    while (length < sizeof text - 1u &&
           port_file_read(&file, text + length, sizeof text - 1u - length, &n) == PORT_OK) {
        length += n;
    }
    text[length] = '\0';
    CHECK_EQ(port_file_close(&file), PORT_OK);
    return text;
}

static void check_real(double value, unsigned n_decimals, size_t width, const char *expected)
{
    writer_t writer;
    REQUIRE(writer_open(&writer, path));
    writer_real(&writer, value, n_decimals, width);
    CHECK_STR(written(&writer), expected);
}

TEST(test_writer_should_round_half_away_when_decimals_are_cut)
{
    check_real(0.0, 0u, 0, "0");
    check_real(-0.0, 2u, 0, "0.00");
    check_real(-0.004, 2u, 0, "0.00");
    check_real(-0.006, 2u, 0, "-0.01");
    check_real(0.125, 2u, 0, "0.13");
    check_real(-2.5, 0u, 0, "-3");
    check_real(0.999, 2u, 0, "1.00");
    check_real(9.9996, 3u, 8, "  10.000");
    check_real(1.05, 9u, 0, "1.050000000");
    check_real(1.05, 12u, 0, "1.050000000");
    check_real(999999999999999.0, 4u, 0, "999999999999999.0000");
    check_real(-123.456, 1u, 3, "-123.5");
}

TEST(test_writer_should_print_a_dash_when_a_number_does_not_fit)
{
    volatile double zero = 0.0;
    check_real(1e15, 2u, 3, "  -");
    check_real(-1e300, 2u, 0, "-");
    check_real(1.0 / zero, 2u, 0, "-");
    check_real(zero / zero, 2u, 0, "-");
}

TEST(test_writer_should_keep_columns_when_a_table_is_written)
{
    writer_t writer;
    REQUIRE(writer_open(&writer, path));
    writer_text(&writer, "ab");
    writer_to_column(&writer, 5);
    writer_to_column(&writer, 3);
    writer_unsigned(&writer, UINT64_MAX, 0);
    writer_text(&writer, "\n");
    writer_to_column(&writer, 2);
    writer_unsigned(&writer, 0u, 3);
    writer_right(&writer, "xyz", 2);
    writer_hex(&writer, 0x0badcafeu);
    writer_repeat(&writer, '=', 100);
    CHECK_STR(written(&writer), "ab   18446744073709551615\n    0xyz0badcafe"
                                "=================================================="
                                "==================================================");
}

TEST(test_writer_should_say_so_when_the_file_cannot_be_made)
{
    writer_t writer;
    CHECK(!writer_open(&writer, BUILD_FOLDER "/tests/no-such-folder/x"));
}

TEST_MAIN(TEST_CASE(test_writer_should_round_half_away_when_decimals_are_cut),
          TEST_CASE(test_writer_should_print_a_dash_when_a_number_does_not_fit),
          TEST_CASE(test_writer_should_keep_columns_when_a_table_is_written),
          TEST_CASE(test_writer_should_say_so_when_the_file_cannot_be_made))

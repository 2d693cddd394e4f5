/* SPDX-License-Identifier: MIT */
/* Bounded comma-separated rows: from text in the image, and the same bytes from a file. */
#include "support/test.h"

#include "apps/common/csv.c"

#define LONG_31 "0123456789012345678901234567890"

static const char *const names[] = {"id", "x_m", "none"};

/* Open a text in one piece and read its header. */
static csv_status_t begin(csv_t *csv, const char *const *pieces, size_t *columns)
{
    csv_open_text(csv, pieces, "text");
    return csv_read_header(csv, names, 3u, columns);
}

static csv_status_t header_of(const char *text)
{
    const char *pieces[] = {text, NULL};
    csv_t csv;
    size_t columns[3];
    return begin(&csv, pieces, columns);
}

/* Status of the first row. */
static csv_status_t row_of(const char *text)
{
    const char *pieces[] = {text, NULL};
    csv_t csv;
    size_t columns[3];
    CHECK_EQ(begin(&csv, pieces, columns), CSV_OK);
    return csv_next(&csv);
}

TEST(test_csv_should_find_columns_when_they_are_in_any_order)
{
    static const char *const pieces[] = {"\xEF\xBB\xBF# note\n\n y_m , x_m,", "id\r\n1, 2 ,3\n\n", "# 9,9,9\n4,,6",
                                         NULL};
    csv_t csv;
    size_t columns[3];
    REQUIRE(begin(&csv, pieces, columns) == CSV_OK);
    CHECK_EQ(columns[0], 2);
    CHECK_EQ(columns[1], 1);
    CHECK_EQ(columns[2], CSV_NO_COLUMN);
    REQUIRE(csv_next(&csv) == CSV_OK);
    CHECK_EQ(csv.line, 4);
    CHECK_STR(csv.field[0], "1");
    CHECK_STR(csv.field[1], "2");
    CHECK_STR(csv.field[2], "3");
    REQUIRE(csv_next(&csv) == CSV_OK);
    CHECK_EQ(csv.line, 7);
    CHECK_STR(csv.field[1], "");
    CHECK_STR(csv.field[2], "6");
    CHECK_EQ(csv_next(&csv), CSV_END);
    CHECK_EQ(csv_next(&csv), CSV_END);
    csv_close(&csv);
}

TEST(test_csv_should_refuse_when_a_row_does_not_fit)
{
    CHECK_EQ(header_of(""), CSV_ERR_HEADER);
    CHECK_EQ(header_of("\n#\n \n"), CSV_ERR_HEADER);
    CHECK_EQ(header_of("a,b,c,d,e,f,g,h,i,j"), CSV_OK);
    CHECK_EQ(header_of("a,b,c,d,e,f,g,h,i,j,k"), CSV_ERR_HEADER);
    CHECK_EQ(row_of("a,b\n1\n"), CSV_ERR_FIELDS);
    CHECK_EQ(row_of("a,b\n1,2,3\n"), CSV_ERR_FIELDS);
    CHECK_EQ(row_of("a,b\n,,,,,,,,,,,,\n"), CSV_ERR_FIELDS);
    CHECK_EQ(row_of("a\n" LONG_31 LONG_31 LONG_31 LONG_31 "123\n"), CSV_OK); /* 127 characters */
    CHECK_EQ(row_of("a\n" LONG_31 LONG_31 LONG_31 LONG_31 "123\r\n"), CSV_OK);
    CHECK_EQ(row_of("a\n" LONG_31 LONG_31 LONG_31 LONG_31 "1234\n"), CSV_ERR_LONG);
    CHECK_EQ(row_of("a\n#" LONG_31 LONG_31 LONG_31 LONG_31 LONG_31 "\n1\n"), CSV_OK);
}

TEST(test_csv_should_read_the_same_when_the_text_is_a_file)
{
    static const char path[] = BUILD_FOLDER "/tests/csv.csv";
    static const char text[] = "id,x_m\n1,2\n# " LONG_31 LONG_31 LONG_31 LONG_31 LONG_31 "\n3,4\n5,\0 6\n";
    port_file_t file;
    csv_t csv;
    size_t columns[3];
    REQUIRE(port_file_open(&file, path, 1) == PORT_OK);
    CHECK_EQ(port_file_write(&file, text, sizeof text - 1u), PORT_OK);
    CHECK_EQ(port_file_close(&file), PORT_OK);
    REQUIRE(csv_open_file(&csv, path) == CSV_OK);
    CHECK_EQ(csv_read_header(&csv, names, 3u, columns), CSV_OK);
    CHECK_EQ(csv_next(&csv), CSV_OK);
    CHECK_STR(csv.field[1], "2");
    CHECK_EQ(csv_next(&csv), CSV_OK);
    CHECK_EQ(csv.line, 4);
    CHECK_STR(csv.field[1], "4");
    CHECK_EQ(csv_next(&csv), CSV_ERR_BYTE);
    csv_close(&csv);
    CHECK_EQ(csv_open_file(&csv, BUILD_FOLDER "/tests/no-such-file.csv"), CSV_ERR_OPEN);
}

TEST(test_csv_should_say_why_when_it_refuses)
{
    for (int status = CSV_ERR_HEADER; status <= CSV_END; ++status) {
        CHECK(strcmp(csv_reason((csv_status_t)status), "unknown") != 0);
    }
}

TEST_MAIN(TEST_CASE(test_csv_should_find_columns_when_they_are_in_any_order),
          TEST_CASE(test_csv_should_refuse_when_a_row_does_not_fit),
          TEST_CASE(test_csv_should_read_the_same_when_the_text_is_a_file),
          TEST_CASE(test_csv_should_say_why_when_it_refuses))

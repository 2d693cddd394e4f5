/* SPDX-License-Identifier: MIT
 * Tests of status: signs of the codes, and their names. */
#include "cairn/status.h"
#include "support/test.h"

#include <stdbool.h>
#include <string.h>

static const cairn_status all[] = {
    CAIRN_OK,
    CAIRN_MORE,
    CAIRN_NOT_CONVERGED,
    CAIRN_REJECTED,
    CAIRN_FULL,
    CAIRN_FLIP_POSSIBLE,
    CAIRN_UNPLACED,
    CAIRN_HEIGHT_UNRESOLVED,
    CAIRN_RELATIVE,
    CAIRN_ERR_ARG,
    CAIRN_ERR_SIZE,
    CAIRN_ERR_ALIGN,
    CAIRN_ERR_NONFINITE,
    CAIRN_ERR_RANGE,
    CAIRN_ERR_UNKNOWN_ID,
    CAIRN_ERR_SELF,
    CAIRN_ERR_STATE,
    CAIRN_ERR_ANCHORS,
    CAIRN_ERR_GEOMETRY,
    CAIRN_ERR_RESOLUTION,
    CAIRN_ERR_FORMAT,
    CAIRN_ERR_STALE,
};

enum { N_ALL = sizeof all / sizeof all[0], FIRST_ERROR = 9 };

TEST(test_status_should_be_positive_when_an_outcome_and_negative_when_an_error)
{
    CHECK_EQ(all[0], 0);
    for (int i = 1; i < N_ALL; ++i) {
        CHECK((int)all[i] != 0);
        CHECK(((int)all[i] < 0) == (i >= FIRST_ERROR));
    }
}

TEST(test_status_name_should_be_its_own_when_the_status_is_known)
{
    for (int i = 0; i < N_ALL; ++i) {
        const char *name = cairn_status_name(all[i]);
        REQUIRE(name != NULL);
        CHECK(name[0] != '\0');
        CHECK(strcmp(name, "unknown status") != 0);
        for (int j = 0; j < i; ++j) {
            CHECK(strcmp(name, cairn_status_name(all[j])) != 0);
        }
    }
}

TEST(test_status_name_should_be_unknown_status_when_the_value_is_not_in_the_table)
{
    /* within a byte: some targets keep enumerations in one */
    static const int values[] = {9, 10, 100, 127, -14, -15, -100, -128};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; ++i) {
        test_context("status", (uint32_t)values[i]);
        CHECK_STR(cairn_status_name((cairn_status)values[i]), "unknown status");
    }
}

TEST_MAIN(TEST_CASE(test_status_should_be_positive_when_an_outcome_and_negative_when_an_error),
          TEST_CASE(test_status_name_should_be_its_own_when_the_status_is_known),
          TEST_CASE(test_status_name_should_be_unknown_status_when_the_value_is_not_in_the_table))

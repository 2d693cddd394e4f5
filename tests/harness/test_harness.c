/* SPDX-License-Identifier: MIT */
/* The harness tests itself: what fails must be counted as failed. */
#include "support/test.h"

#include "port.h"

static volatile int one = 1; /* so that no compiler knows the results */
static int reached;

static void fail_check(void) { CHECK(one == 2); }
static void fail_eq(void) { CHECK_EQ(one, 2); }
static void fail_eq_negative(void) { CHECK_EQ(-one, 0xFFFFFFFFu); }
static void fail_near_above(void) { CHECK_NEAR((double)one, 0.5, 0.25); }
static void fail_near_below(void) { CHECK_NEAR((double)one, 1.5, 0.25); }
static void fail_near_nan(void)
{
    double zero = (double)(one - 1);
    CHECK_NEAR(zero / zero, 0.0, 1.0);
    CHECK_NEAR(0.0, zero / zero, 1.0);
    CHECK_NEAR(0.0, 0.0, zero / zero);
}
static void fail_str(void)
{
    CHECK_STR("abc", "abd");
    CHECK_STR(NULL, "abc");
}
static void fail_mem(void) { CHECK_MEM("abc", "abd", 3); }
static void fail_and_leave(void)
{
    REQUIRE(one == 2);
    reached = 1;
}
static void fail_and_go_on(void)
{
    CHECK(one == 2);
    reached = 1;
}
static void hold(void)
{
    CHECK(one == 1);
    CHECK_EQ(-one, -1);
    CHECK_NEAR((double)one, 1.25, 0.25);
    CHECK_STR("abc", "abc");
    CHECK_MEM("abc", "abd", 2);
    REQUIRE(one == 1);
}

TEST(test_check_should_count_a_failure_when_it_does_not_hold)
{
    CHECK_EQ(test_failures_in(fail_check), 1);
    CHECK_EQ(test_failures_in(fail_eq), 1);
    CHECK_EQ(test_failures_in(fail_eq_negative), 1);
    CHECK_EQ(test_failures_in(fail_near_above), 1);
    CHECK_EQ(test_failures_in(fail_near_below), 1);
    CHECK_EQ(test_failures_in(fail_near_nan), 3);
    CHECK_EQ(test_failures_in(fail_str), 2);
    CHECK_EQ(test_failures_in(fail_mem), 1);
}

TEST(test_check_should_count_nothing_when_it_holds) { CHECK_EQ(test_failures_in(hold), 0); }

TEST(test_require_should_leave_the_case_when_it_fails)
{
    reached = 0;
    CHECK_EQ(test_failures_in(fail_and_leave), 1);
    CHECK_EQ(reached, 0);
}

TEST(test_check_should_go_on_when_it_fails)
{
    reached = 0;
    CHECK_EQ(test_failures_in(fail_and_go_on), 1);
    CHECK_EQ(reached, 1);
}

TEST(test_hash_should_match_published_values_when_fnv1a)
{
    CHECK_EQ(hash_bytes(HASH_START, "", 0), 0x811c9dc5u);
    CHECK_EQ(hash_bytes(HASH_START, "a", 1), 0xe40c292cu);
    CHECK_EQ(hash_bytes(HASH_START, "foobar", 6), 0xbf9cf968u);
    CHECK_EQ(hash_u32(HASH_START, 0x34333231u), hash_bytes(HASH_START, "1234", 4));
}

TEST_MAIN(TEST_CASE(test_check_should_count_a_failure_when_it_does_not_hold),
          TEST_CASE(test_check_should_count_nothing_when_it_holds),
          TEST_CASE(test_require_should_leave_the_case_when_it_fails), TEST_CASE(test_check_should_go_on_when_it_fails),
          TEST_CASE(test_hash_should_match_published_values_when_fnv1a))

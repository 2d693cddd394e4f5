/* SPDX-License-Identifier: MIT */
/* Decimal text to double: known bits on every board. check_decimal.c compares millions with strtod on the host. */
#include "support/test.h"

#include "apps/common/decimal.c"

#include <string.h>

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void check_bits(const char *text, uint64_t bits)
{
    double value = -1.0;
    CHECK_EQ(decimal_parse(text, strlen(text), &value), DECIMAL_OK);
    CHECK_EQ(bits_of(value), bits);
}

static void check_refused(const char *text, decimal_status_t status)
{
    double value = 42.0;
    CHECK_EQ(decimal_parse(text, strlen(text), &value), status);
    CHECK_EQ(bits_of(value), bits_of(42.0));
}

TEST(test_decimal_should_give_the_nearest_double_when_up_to_15_digits_are_given)
{
    check_bits("0", UINT64_C(0));
    check_bits("-0", UINT64_C(0x8000000000000000));
    check_bits("1", UINT64_C(0x3FF0000000000000));
    check_bits("+1.", UINT64_C(0x3FF0000000000000));
    check_bits("0.1", UINT64_C(0x3FB999999999999A));
    check_bits(".1", UINT64_C(0x3FB999999999999A));
    check_bits("0.3", UINT64_C(0x3FD3333333333333));
    check_bits("-3.2004", UINT64_C(0xC0099A6B50B0F27C));
    check_bits("1e22", UINT64_C(0x4480F0CF064DD592));
    check_bits("1e-22", UINT64_C(0x3B5E392010175EE6));
    check_bits("123456789012345", UINT64_C(0x42DC12218377DE40));
    check_bits("0.000000000000000000001", UINT64_C(0x3B92E3B40A0E9B4F));
    check_bits("1.50000000000000000000000000000000000000", UINT64_C(0x3FF8000000000000));
    check_bits("0000000000000000000000000000000000000001.5", UINT64_C(0x3FF8000000000000));
}

TEST(test_decimal_should_round_once_when_16_to_19_digits_are_given)
{
    check_bits("3.0499999999999998", UINT64_C(0x4008666666666666));
    check_bits("9007199254740993", UINT64_C(0x4340000000000000)); /* a tie: to even */
    check_bits("9007199254740995", UINT64_C(0x4340000000000002));
    check_bits("900719925474099.3", UINT64_C(0x430999999999999A));
    check_bits("9007199254740992.1", UINT64_C(0x4340000000000000));
    check_bits("9007199254740993.01", UINT64_C(0x4340000000000001)); /* just above the tie */
    check_bits("0.100000000000000006", UINT64_C(0x3FB999999999999A));
    check_bits("1.000000000000000111", UINT64_C(0x3FF0000000000000)); /* just below the tie */
    check_bits("1.000000000000000112", UINT64_C(0x3FF0000000000001));
}

TEST(test_decimal_should_refuse_when_it_is_not_a_number)
{
    static const char *const texts[] = {"",    "-",     ".",   "+.",  "e5",   "1e",  "1e+", "1e5x",  "1 ", " 1",
                                        "1,5", "1.2.3", "nan", "inf", "0x10", "1d5", "--1", "1e1.5", "--", "1_000"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        test_context("text", (uint32_t)i);
        check_refused(texts[i], DECIMAL_ERR_SYNTAX);
    }
}

TEST(test_decimal_should_refuse_when_it_cannot_round_once)
{
    check_refused("12345678901234567890", DECIMAL_ERR_DIGITS);
    check_refused("1234567890123456e1", DECIMAL_ERR_DIGITS);
    check_refused("1.234567890123456e-5", DECIMAL_ERR_DIGITS);
    check_refused("1e23", DECIMAL_ERR_RANGE);
    check_refused("1e-23", DECIMAL_ERR_RANGE);
    check_refused("1e99999999999999999999", DECIMAL_ERR_RANGE);
    check_bits("0e99999999999999999999", 0u);
}

static void check_unsigned(const char *text, decimal_status_t status, uint32_t expected)
{
    uint32_t value = 42u;
    CHECK_EQ(decimal_parse_unsigned(text, strlen(text), &value), status);
    CHECK_EQ(value, expected);
}

TEST(test_decimal_should_read_integers_when_they_fit_32_bits)
{
    check_unsigned("0", DECIMAL_OK, 0u);
    check_unsigned("000000000000017", DECIMAL_OK, 17u);
    check_unsigned("4294967295", DECIMAL_OK, UINT32_MAX);
    check_unsigned("4294967296", DECIMAL_ERR_RANGE, 42u);
    check_unsigned("42949672950", DECIMAL_ERR_RANGE, 42u);
    check_unsigned("99999999999999999999999", DECIMAL_ERR_RANGE, 42u);
    check_unsigned("9999999999999999999999x", DECIMAL_ERR_SYNTAX, 42u);
    check_unsigned("", DECIMAL_ERR_SYNTAX, 42u);
    check_unsigned("-1", DECIMAL_ERR_SYNTAX, 42u);
    check_unsigned("+1", DECIMAL_ERR_SYNTAX, 42u);
    check_unsigned("1.0", DECIMAL_ERR_SYNTAX, 42u);
}

TEST_MAIN(TEST_CASE(test_decimal_should_give_the_nearest_double_when_up_to_15_digits_are_given),
          TEST_CASE(test_decimal_should_round_once_when_16_to_19_digits_are_given),
          TEST_CASE(test_decimal_should_refuse_when_it_is_not_a_number),
          TEST_CASE(test_decimal_should_refuse_when_it_cannot_round_once),
          TEST_CASE(test_decimal_should_read_integers_when_they_fit_32_bits))

/* SPDX-License-Identifier: MIT */
/* The test harness: one binary per module, the same on the host and on every board. Prints through the port only. */
#ifndef CAIRN_TEST_H
#define CAIRN_TEST_H

#include <stddef.h>
#include <stdint.h>

/*
 * A test program:
 *
 *     #include "support/test.h"
 *
 *     TEST(test_rng_should_repeat_when_seeds_are_equal)
 *     {
 *         CHECK_EQ(first, second);
 *     }
 *
 *     TEST_MAIN(TEST_CASE(test_rng_should_repeat_when_seeds_are_equal), TEST_CASE(...))
 *
 * A case that is not listed is an unused function, and a compile error. Arguments of the program: a word selects the
 * cases whose names contain it; "-v" prints every name; "--stack" prints the stack used.
 * The last line is `N passed, N failed`, with `, N skipped` if some were; the exit code is 1 if any failed.
 */

typedef struct {
    const char *name;
    void (*function)(void);
} test_case_t;

#define TEST(name) static void name(void)
/* The formatter takes these braces for a block. */
/* clang-format off */
#define TEST_CASE(name) {#name, name}
/* clang-format on */
#define TEST_MAIN(...)                                                                                                 \
    static const test_case_t test_cases[] = {__VA_ARGS__};                                                             \
    int port_main(void) { return test_run(test_cases, sizeof test_cases / sizeof test_cases[0]); }

/* A failed check is printed with file, line and values; the case goes on and counts as failed. */
#define CHECK(condition) test_check((condition) ? 1 : 0, __FILE__, __LINE__, #condition)
#define CHECK_EQ(actual, expected)                                                                                     \
    test_check_eq((int64_t)(actual), (int64_t)(expected), __FILE__, __LINE__, #actual " == " #expected)
#define CHECK_NEAR(actual, expected, tolerance)                                                                        \
    test_check_near((double)(actual), (double)(expected), (double)(tolerance), __FILE__, __LINE__,                     \
                    #actual " near " #expected)
#define CHECK_STR(actual, expected) test_check_str((actual), (expected), __FILE__, __LINE__, #actual)
#define CHECK_MEM(actual, expected, bytes)                                                                             \
    test_check_mem((actual), (expected), (bytes), __FILE__, __LINE__, #actual " same bytes as " #expected)
/* As CHECK, but leaves the case: for what later lines depend on. */
#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!test_check((condition) ? 1 : 0, __FILE__, __LINE__, #condition))                                          \
            return;                                                                                                    \
    } while (0)
/* Leaves the case and counts it as skipped; the reason is printed. */
#define SKIP(reason)                                                                                                   \
    do {                                                                                                               \
        test_skip(reason);                                                                                             \
        return;                                                                                                        \
    } while (0)

/* A fault meets a script at every step, on the host. Under an emulator a step takes a hundred times the time and gives the
 * same bits: it does at every fifth one there, and at every seventh where floats are emulated, too. Both are prime, so that
 * they meet everything that comes in turn. */
#if BOARD_RAM_BYTES >= 1048576
#define TEST_STRIDE 1u
#elif defined __SOFTFP__ || defined __riscv_float_abi_soft
#define TEST_STRIDE 7u
#else
#define TEST_STRIDE 5u
#endif

/* How many of n seeds, draws or trials a test makes: all on the host, a tenth or a fourteenth, but at least one, elsewhere. */
#define TEST_SEEDS(n) (TEST_STRIDE == 1u ? (n) : ((n) + 2u * TEST_STRIDE - 1u) / (2u * TEST_STRIDE))

int port_main(void);
int test_run(const test_case_t *cases, size_t n_cases);
int test_check(int holds, const char *file, int line, const char *text);
int test_check_eq(int64_t actual, int64_t expected, const char *file, int line, const char *text);
int test_check_near(double actual, double expected, double tolerance, const char *file, int line, const char *text);
int test_check_str(const char *actual, const char *expected, const char *file, int line, const char *text);
int test_check_mem(const void *actual, const void *expected, size_t bytes, const char *file, int line,
                   const char *text);
void test_skip(const char *reason);

/* A word printed with each failure that follows: the seed or the permutation that re-runs it alone. */
void test_context(const char *name, uint32_t value);

/* Runs a function in silence and returns how many of its checks failed: how the harness tests itself. */
unsigned test_failures_in(void (*function)(void));

/* Printing without stdio, for tests, golden programs and apps. */
void print_text(const char *text);
void print_int(int64_t value);
void print_unsigned(uint64_t value);
void print_hex(uint32_t value);                /* 8 digits */
void print_real(double value, int n_decimals); /* very small and large values with an exponent */

/* FNV-1a, for golden hashes: start with HASH_START, add bytes or the bits of a real. */
#define HASH_START 2166136261u
uint32_t hash_bytes(uint32_t hash, const void *bytes, size_t length);
uint32_t hash_u32(uint32_t hash, uint32_t word); /* byte order of the target doesn't matter */
uint32_t hash_float(uint32_t hash, float value);
/* One golden line: `name hash`. */
void golden_line(const char *name, uint32_t hash);

#endif

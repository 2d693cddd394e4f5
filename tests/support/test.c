/* SPDX-License-Identifier: MIT */
/* The test harness: runs the cases, counts, prints what failed. A few dozen bytes of RAM. */
#include "support/test.h"

#include "port.h"

#include <string.h>

/* A case that fails everywhere would fill the console: the first lines tell enough. */
enum { PRINTED_FAILURES_PER_CASE = 8 };

static struct {
    const char *case_name;
    const char *context_name;
    uint32_t context_value;
    unsigned n_failures; /* in this case */
    int skipped;
    int silent;
} current;

/* Of every byte, padding and those that nobody wrote included. */
#if defined __has_feature
#if __has_feature(memory_sanitizer)
#define EVERY_BYTE __attribute__((no_sanitize("memory")))
#endif
#endif
#ifndef EVERY_BYTE
#define EVERY_BYTE
#endif

/* 1 if the failure is to be printed; the line is begun then. */
static int begin_failure(const char *file, int line, const char *text)
{
    ++current.n_failures;
    if (current.silent || current.n_failures > PRINTED_FAILURES_PER_CASE) {
        return 0;
    }
    print_text("FAIL ");
    print_text(current.case_name != NULL ? current.case_name : "?");
    print_text(" ");
    print_text(file);
    print_text(":");
    print_int(line);
    print_text(": ");
    print_text(text);
    return 1;
}

static void end_failure(void)
{
    if (current.context_name != NULL) {
        print_text(" [");
        print_text(current.context_name);
        print_text(" ");
        print_unsigned(current.context_value);
        print_text("]");
    }
    print_text("\n");
}

int test_check(int holds, const char *file, int line, const char *text)
{
    if (!holds && begin_failure(file, line, text)) {
        end_failure();
    }
    return holds;
}

int test_check_eq(int64_t actual, int64_t expected, const char *file, int line, const char *text)
{
    if (actual != expected && begin_failure(file, line, text)) {
        print_text(": got ");
        print_int(actual);
        print_text(", want ");
        print_int(expected);
        end_failure();
    }
    return actual == expected;
}

int test_check_near(double actual, double expected, double tolerance, const char *file, int line, const char *text)
{
    double difference = actual - expected;
    /* written so that NaN anywhere fails */
    int holds = difference <= tolerance && -difference <= tolerance;
    if (!holds && begin_failure(file, line, text)) {
        print_text(": got ");
        print_real(actual, 9);
        print_text(", want ");
        print_real(expected, 9);
        print_text(" within ");
        print_real(tolerance, 9);
        end_failure();
    }
    return holds;
}

int test_check_str(const char *actual, const char *expected, const char *file, int line, const char *text)
{
    int holds = actual != NULL && strcmp(actual, expected) == 0;
    if (!holds && begin_failure(file, line, text)) {
        print_text(": got \"");
        print_text(actual != NULL ? actual : "(null)");
        print_text("\", want \"");
        print_text(expected);
        print_text("\"");
        end_failure();
    }
    return holds;
}

EVERY_BYTE
int test_check_mem(const void *actual, const void *expected, size_t bytes, const char *file, int line, const char *text)
{
    const uint8_t *a = actual;
    const uint8_t *e = expected;
    size_t i = 0;
    while (i < bytes && a[i] == e[i]) {
        ++i;
    }
    if (i < bytes && begin_failure(file, line, text)) {
        print_text(": byte ");
        print_unsigned(i);
        print_text(" is ");
        print_unsigned(a[i]);
        print_text(", want ");
        print_unsigned(e[i]);
        end_failure();
    }
    return i == bytes;
}

void test_skip(const char *reason)
{
    current.skipped = 1;
    if (current.silent) {
        return;
    }
    print_text("SKIP ");
    print_text(current.case_name != NULL ? current.case_name : "?");
    print_text(": ");
    print_text(reason);
    print_text("\n");
}

unsigned test_failures_in(void (*function)(void))
{
    const unsigned n_before = current.n_failures;
    const int skipped_before = current.skipped;
    const int silent_before = current.silent;
    current.n_failures = 0;
    current.silent = 1;
    function();
    unsigned n_failures = current.n_failures;
    current.n_failures = n_before;
    current.skipped = skipped_before;
    current.silent = silent_before;
    return n_failures;
}

void test_context(const char *name, uint32_t value)
{
    current.context_name = name;
    current.context_value = value;
}

/* Options are words that begin with '-'; the first other word is the filter. */
static size_t find_filter(const char *arguments, const char **filter)
{
    const char *at = arguments;
    while (*at != '\0') {
        size_t length = strcspn(at, " ");
        if (length > 0u && *at != '-') {
            *filter = at;
            return length;
        }
        at += length;
        at += *at == ' ' ? 1 : 0;
    }
    *filter = at;
    return 0u;
}

static int contains(const char *name, const char *word, size_t length)
{
    for (; strlen(name) >= length; ++name) {
        if (strncmp(name, word, length) == 0) {
            return 1;
        }
        if (*name == '\0') {
            break;
        }
    }
    return 0;
}

static void run_case(const test_case_t *test, int verbose)
{
    memset(&current, 0, sizeof current);
    current.case_name = test->name;
    test->function();
    if (current.n_failures > PRINTED_FAILURES_PER_CASE) {
        print_text("  ... ");
        print_unsigned(current.n_failures);
        print_text(" failed checks in this case\n");
    }
    if (verbose) {
        print_text(current.n_failures != 0u ? "failed " : current.skipped ? "skipped " : "ok ");
        print_text(test->name);
        print_text("\n");
    }
}

static void print_summary(unsigned n_passed, unsigned n_failed, unsigned n_skipped)
{
    print_unsigned(n_passed);
    print_text(" passed, ");
    print_unsigned(n_failed);
    print_text(" failed");
    if (n_skipped != 0u) {
        print_text(", ");
        print_unsigned(n_skipped);
        print_text(" skipped");
    }
    print_text("\n");
}

int test_run(const test_case_t *cases, size_t n_cases)
{
    const char *arguments = port_arguments();
    const char *filter;
    size_t filter_length = find_filter(arguments, &filter);
    int verbose = strstr(arguments, "-v") != NULL;
    unsigned n_passed = 0, n_failed = 0, n_skipped = 0;
    for (size_t i = 0; i < n_cases; ++i) {
        if (!contains(cases[i].name, filter, filter_length)) {
            continue;
        }
        run_case(&cases[i], verbose);
        if (current.n_failures != 0u) {
            ++n_failed;
        } else if (current.skipped) {
            ++n_skipped;
        } else {
            ++n_passed;
        }
    }
    if (strstr(arguments, "--stack") != NULL) {
        print_text("stack ");
        print_unsigned(port_stack_used());
        print_text(" bytes\n");
    }
    /* a filter that matches nothing is a spelling mistake, not a success */
    if (n_passed + n_failed + n_skipped == 0u) {
        print_text("FAIL no case matches\n");
        n_failed = 1;
    }
    print_summary(n_passed, n_failed, n_skipped);
    return n_failed != 0u ? 1 : 0;
}

/* SPDX-License-Identifier: MIT
 * Fault 2 of tracking that takes most ranges: fifty wild ones from every step on, in every form of tracker. */
#include "oracle/track_faults.h"

TEST(test_fault_2_every_form_should_be_back_in_150_ranges_when_fifty_in_a_row_are_wild)
{
    const fault_t fault = {wild_fifty, SETTLED, 150, 1};
    check_fault(&fault, ALL_FORMS);
}

TEST_MAIN(TEST_CASE(test_fault_2_every_form_should_be_back_in_150_ranges_when_fifty_in_a_row_are_wild))

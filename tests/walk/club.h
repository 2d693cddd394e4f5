/* SPDX-License-Identifier: MIT
 * A small made-up network: two groups of ten around nodes 0 and 19, five links cross. */
#ifndef TEST_WALK_CLUB_H
#define TEST_WALK_CLUB_H

#include <stdint.h>

enum { CLUB_NODES = 20, CLUB_LINKS = 49 };

static const uint8_t club_links[CLUB_LINKS][2] = {
    {0, 1},   {0, 2},   {0, 3},   {0, 4},   {0, 5},   {0, 6},   {0, 7},   {0, 8},   {1, 2},   {1, 3},
    {2, 3},   {4, 5},   {4, 6},   {5, 6},   {6, 9},   {7, 8},   {8, 9},   {7, 1},   {3, 9},   {2, 8},
    {5, 9},   {0, 9},   {19, 10}, {19, 11}, {19, 12}, {19, 13}, {19, 14}, {19, 15}, {19, 16}, {10, 11},
    {10, 12}, {11, 12}, {13, 14}, {13, 15}, {14, 15}, {16, 17}, {17, 18}, {16, 18}, {18, 19}, {17, 10},
    {18, 13}, {12, 16}, {11, 17}, {15, 18}, {9, 10},  {8, 11},  {3, 12},  {6, 19},  {2, 17}};

#endif

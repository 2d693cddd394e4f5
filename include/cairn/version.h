/* SPDX-License-Identifier: MIT
 * Version of Cairn; every manifest is checked against it. */
#ifndef CAIRN_VERSION_H
#define CAIRN_VERSION_H

#define CAIRN_VERSION_MAJOR 0
#define CAIRN_VERSION_MINOR 1
#define CAIRN_VERSION_PATCH 0
#define CAIRN_VERSION       "0.1.0"

#endif

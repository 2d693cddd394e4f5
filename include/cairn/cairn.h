/* SPDX-License-Identifier: MIT
 * Cairn: places, maps and groups in fixed memory. Includes every public header. */
#ifndef CAIRN_CAIRN_H
#define CAIRN_CAIRN_H

#include "cairn/agree.h"
#include "cairn/anchors.h"
#include "cairn/beacon.h"
#include "cairn/bias.h"
#include "cairn/coldstart.h"
#include "cairn/graph.h"
#include "cairn/ids.h"
#include "cairn/kmeans.h"
#include "cairn/lift.h"
#include "cairn/locate.h"
#include "cairn/maxmin.h"
#include "cairn/mds.h"
#include "cairn/network.h"
#include "cairn/node.h"
#include "cairn/pic.h"
#include "cairn/place.h"
#include "cairn/recenter.h"
#include "cairn/reservoir.h"
#include "cairn/rigid.h"
#include "cairn/rng.h"
#include "cairn/scalar.h"
#include "cairn/space.h"
#include "cairn/status.h"
#include "cairn/track.h"
#include "cairn/vector.h"
#include "cairn/version.h"
#include "cairn/walk.h"

#endif

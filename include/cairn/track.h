/* SPDX-License-Identifier: MIT
 * Tracking of one moving sensor, one range at a time: place, motion, range scale and bias, with their covariance. */
#ifndef CAIRN_TRACK_H
#define CAIRN_TRACK_H

#include "cairn/status.h"
#include "cairn/vector.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How a sensor moves between ranges; the number of motion states follows. */
typedef enum cairn_track_motion {
    CAIRN_TRACK_STILL = 0,   /* the place wanders; no motion states */
    CAIRN_TRACK_DECAY = 1,   /* dim states: a velocity that decays, for sensors without odometry */
    CAIRN_TRACK_ODOMETRY = 2 /* min(dim, 2) states: the heading as a free vector, whose length takes up scale errors */
} cairn_track_motion;

/** Settings; the caller keeps them alive and constant. All deviations may be 0 unless stated otherwise; no number may be
 * larger than 1e6, so that a float holds whatever squares of them make up. */
typedef struct cairn_track_cfg {
    uint8_t dim;           /* 1 to CAIRN_LOCATE_DIM_MAX */
    uint8_t motion;        /* cairn_track_motion */
    uint8_t n_link_biases; /* biases of single links kept in the state, with full covariance, 0 to 4 */
    int8_t side;           /* 3-D: the sensor is below (negative) or above (positive) all anchors; 0 unknown */
    /* free */
    cairn_real bias_m; /* expected common bias */
    cairn_real link_m; /* expected bias of single links, in the state or in cairn_track_bias_t */
    /* not negative */
    cairn_real noise_rel;        /* further deviation of a range, a share of the distance */
    cairn_real noise_motion;     /* DECAY: of the velocity, m/s^1.5; STILL: of the place, m/s^0.5 */
    cairn_real odometry_forward; /* ODOMETRY: deviation of the place, metres per root of a metre driven */
    cairn_real odometry_rest;    /* the same per root of a second, also when standing */
    cairn_real odometry_turn;    /* of the heading, radians per root of a metre driven */
    cairn_real odometry_drift;   /* the same per root of a second */
    cairn_real scale_std;        /* start deviation of the scale s in range = (1 + s) distance + bias; 0: s stays 0 */
    cairn_real bias_std_m;       /* deviation of bias_m; 0: it stays bias_m */
    cairn_real start_motion;     /* start deviation of a velocity component, m/s, or heading component (unknown: .7) */
    cairn_real link_std_m;       /* deviation of link_m */
    cairn_real link_walk;        /* its wandering, m/s^0.5 */
    cairn_real peer_factor; /* weight of a moving neighbour's own variance: its error is shared with ours, default 2 */
    cairn_real late_s;      /* ranges older than the state by more are refused, default .5 */
    cairn_real speed_typical; /* m/s, discounts older ranges in start and re-lock, default 1 */
    /* at least 1e-6 */
    cairn_real noise_m;     /* deviation of a range, metres; state it on the generous side */
    cairn_real range_max_m; /* larger ranges are refused as implausible (millimetres given as metres) */
    cairn_real tau_s;       /* DECAY: the velocity falls to 1/e in this time */
    /* at least 1e-6, at most 1000 */
    cairn_real gap_s; /* times farther ahead or behind are another clock: refused, and after 8 in a row the track starts
                                    anew; default 120 */
    cairn_real fresh_s; /* start and re-lock use ranges up to this old, default 6 */
} cairn_track_cfg_t;

/** For outdoor vehicles at about 1 m/s, ranges of tens of metres: 2-D, decaying velocity, scale and common bias. */
extern const cairn_track_cfg_t cairn_track_cfg_default;

/** Largest number of states: 8 in 3-D, and 4 link biases. Each one adds 4 bytes of stack. */
#define CAIRN_TRACK_STATES_MAX 12

/** Number of states: place, scale, bias, motion, link biases: 6 in 2-D, 8 in 3-D with a velocity. */
#define CAIRN_TRACK_STATES(dim, motion, links)                                                                         \
    ((size_t)(dim) + 2u + CAIRN_TRACK_MOTION_STATES(dim, motion) + (size_t)(links))
#define CAIRN_TRACK_MOTION_STATES(dim, motion)                                                                         \
    ((motion) == CAIRN_TRACK_STILL ? 0u : (motion) == CAIRN_TRACK_DECAY || (dim) == 1 ? (size_t)(dim) : 2u)

/** Reals behind a cairn_track_t: the states and their packed covariance, lower triangle by rows. */
#define CAIRN_TRACK_REALS(states) ((size_t)(states) + CAIRN_SYMMETRIC_REALS(states))

/** Head of a tracker; the states follow it in memory, see CAIRN_TRACK_OBJECT. Private, read by the functions below. */
typedef struct cairn_track {
    const cairn_track_cfg_t *cfg;
    uint32_t t_us;
    cairn_real kappa; /* process-noise factor, 1 to 30 */
    uint8_t n_states;
    uint8_t n_refused; /* calls, stays at 255 */
    uint8_t counts;    /* low half: disbelieved ranges, leaky; high half: times of another clock in a row */
    uint8_t flags;     /* upper five bits: ranges with kappa at its end, stays at 31 */
} cairn_track_t;

/** An object with room for n states: `CAIRN_TRACK_OBJECT(6) tag;`, then pass &tag.track and sizeof tag to init. */
#define CAIRN_TRACK_OBJECT(states)                                                                                     \
    struct {                                                                                                           \
        cairn_track_t track;                                                                                           \
        cairn_real state[CAIRN_TRACK_REALS(states)];                                                                   \
    }

/** Room for every motion in 2-D (124 bytes where pointers have 4) and in 3-D (192 bytes). */
typedef CAIRN_TRACK_OBJECT(6) cairn_track_2d_t;
typedef CAIRN_TRACK_OBJECT(8) cairn_track_3d_t;

/** The other end of a range. The two ends of a range between moving sensors need different ties: else both leave one place
 * alike. On a line no tie parts them. */
typedef struct cairn_track_peer {
    const cairn_real *place_m; /* [dim] an anchor's place, or the last broadcast place of a neighbour */
    const cairn_real *cov_m2;  /* [CAIRN_SYMMETRIC_REALS(dim)] packed covariance of a neighbour; NULL for an anchor */
    uint8_t link;              /* which link bias of the state, from 0; cfg->n_link_biases and above: none */
    uint8_t tie;               /* axis along which a sensor leaves a place that is the peer's too; dim, above: as 0 */
} cairn_track_peer_t;

/** What a range said. */
typedef struct cairn_track_innovation {
    cairn_real difference_m;                 /* measured minus predicted */
    cairn_real var_m2;                       /* expected variance of it, before the range was used */
    cairn_real weight;                       /* 1: believed; 1 / (1 + difference^2 / (4 variance)) */
    cairn_real cov_m2[CAIRN_LOCATE_DIM_MAX]; /* of the place with the difference: the place moved by this x difference x
                                                weight / variance */
} cairn_track_innovation_t;

/** What a tracker knows of itself. */
typedef enum cairn_track_state {
    CAIRN_TRACK_UNPLACED = 0, /* no place */
    CAIRN_TRACK_PLACED = 1,   /* place and deviation hold */
    CAIRN_TRACK_DOUBTFUL = 2, /* too many ranges disagree: the place may be lost, or the motion model be wrong */
    CAIRN_TRACK_STARVED = 3,  /* fewer fresh links than dimensions: the deviation grows */
    CAIRN_TRACK_MIRROR = 4,   /* a mirror image fits as well */
    CAIRN_TRACK_HEIGHT = 5    /* 3-D: the height is not resolved */
} cairn_track_state;

/**
 * Start a tracker without a place.
 *
 * self   out, every field and state is written; first member of a CAIRN_TRACK_OBJECT
 * bytes  size of that object
 * cfg    settings, kept by self
 *
 * CAIRN_OK             ready
 * CAIRN_ERR_ARG        NULL, or a setting out of its range
 * CAIRN_ERR_NONFINITE  a setting is NaN or infinite
 * CAIRN_ERR_SIZE       the object is smaller than the settings need
 *
 * Work: O(states^2).
 */
CAIRN_MUST_CHECK cairn_status cairn_track_init(cairn_track_t *self, size_t bytes, const cairn_track_cfg_t *cfg);

/**
 * Put the sensor at a place: a start that is known, or somebody else's fix. Motion starts anew unless the heading has
 * been set and the sensor had no place before; scale and biases stay.
 *
 * self     tracker
 * place_m  [dim] metres
 * std_m    deviation per coordinate, above 0, at most 1e6
 * t_us     now, wraps
 *
 * CAIRN_OK              placed
 * CAIRN_ERR_ARG         NULL, or std_m not above 0
 * CAIRN_ERR_NONFINITE   a coordinate or std_m is NaN or infinite
 * CAIRN_ERR_RESOLUTION  a coordinate so large that its last bit exceeds a tenth of cfg->noise_m, or std_m above 1e6
 *
 * Work: O(states).
 */
CAIRN_MUST_CHECK cairn_status cairn_track_set_place(cairn_track_t *self, const cairn_real *place_m, cairn_real std_m,
                                                    uint32_t t_us);

/**
 * State the heading (ODOMETRY in 2-D or 3-D), as of the time of the last call, so before a first place after
 * cairn_track_predict with the time of now; without this call it is unknown and found from the ranges.
 *
 * self       tracker
 * direction  [2] unit vector: cosine and sine of the heading
 * std_rad    its deviation, 0 to 3
 *
 * CAIRN_OK             set
 * CAIRN_ERR_ARG        NULL, std_rad out of range, or a direction whose length is not 1 within .01
 * CAIRN_ERR_NONFINITE  NaN or infinite
 * CAIRN_ERR_STATE      the tracker has no heading
 *
 * Work: O(states).
 */
CAIRN_MUST_CHECK cairn_status cairn_track_set_heading(cairn_track_t *self, const cairn_real *direction,
                                                      cairn_real std_rad);

/**
 * Calibrate at a known place: a Kalman update with the place, from which heading, scale and biases learn, without doubt
 * of it. Ranges that follow then go into scale and biases. A place more than 5 deviations away moves the tracker there. Of
 * the deviation a thousandth stays at least: a float cannot tell less from rounding.
 *
 * self     tracker; without a place, the same as cairn_track_set_place
 * place_m, std_m, t_us  as cairn_track_set_place
 *
 * Returns as cairn_track_set_place, and CAIRN_ERR_STATE, counted, for a time as cairn_track_range refuses it.
 * Work: dim x O(states^2).
 */
CAIRN_MUST_CHECK cairn_status cairn_track_calibrate(cairn_track_t *self, const cairn_real *place_m, cairn_real std_m,
                                                    uint32_t t_us);

/**
 * Let time pass: the place moves on and its deviation grows. Ranges do this themselves.
 *
 * self  tracker
 * t_us  now, wraps
 *
 * CAIRN_OK         done; a time up to cfg->late_s back changes nothing
 * CAIRN_ERR_ARG    NULL
 * CAIRN_ERR_STATE  the time is refused, as at cairn_track_range; counted
 *
 * Work: O(dim states).
 */
CAIRN_MUST_CHECK cairn_status cairn_track_predict(cairn_track_t *self, uint32_t t_us);

/**
 * Account for a piece of path measured by wheels, steps or an inertial unit. Everything in it is linear, so the heading
 * need not be known.
 *
 * self       tracker with ODOMETRY; without a place the heading still turns
 * forward_m  driven since the last call, any sign
 * turn_rad   turned since then, counter-clockwise, -pi to pi; not used in 1-D
 * t_us       now, wraps; one that goes back passes no time
 *
 * CAIRN_OK             done
 * CAIRN_ERR_ARG        NULL, turn_rad out of range, or forward_m larger than cfg->range_max_m
 * CAIRN_ERR_NONFINITE  NaN or infinite; counted
 * CAIRN_ERR_STATE      no ODOMETRY; or the time is refused, as at cairn_track_range, and counted
 *
 * Work: O(states). Uses only + - * /.
 */
CAIRN_MUST_CHECK cairn_status cairn_track_odometry(cairn_track_t *self, cairn_real forward_m, cairn_real turn_rad,
                                                   uint32_t t_us);

/**
 * Fold one range into the state: one Newton round of PLACE with the prediction as prior, which is a scalar Kalman
 * update, with a Cauchy weight of 2 deviations (no gate that could lock out the truth), less trust near the other end,
 * where the circle is not a line, and a process-noise factor that follows the median of the residuals.
 *
 * self        tracker
 * peer        other end of the range
 * range_m     measured distance, metres, above 0, at most cfg->range_max_m
 * std_m       its deviation, at most 1e6, 0: that of cfg; cfg->noise_rel, 1 mm, a ten-thousandth of the distance and a
 *             thousandth of the deviation of the place are added to either, in squares
 * t_us        when it was measured, wraps
 * innovation  out, nullable; written only if the result is CAIRN_OK or CAIRN_REJECTED
 *
 * CAIRN_OK              used
 * CAIRN_REJECTED        disbelieved: more than 3 deviations off, so used with a weight below 1/3
 * CAIRN_UNPLACED        the tracker has no place: only its time has changed
 * CAIRN_ERR_ARG         NULL, or std_m negative
 * CAIRN_ERR_NONFINITE   NaN or infinite; counted
 * CAIRN_ERR_RANGE       range not above 0 or larger than cfg->range_max_m; counted
 * CAIRN_ERR_RESOLUTION  a place so large that its last bit exceeds a tenth of cfg->noise_m, a deviation above 1e6, or a
 *                       covariance above its square; counted
 * CAIRN_ERR_STATE       older than the state by more than cfg->late_s, or farther off than cfg->gap_s; counted
 *
 * On error nothing but counters has changed; the eighth time in a row from another clock, with valid numbers, loses the
 * place. Work: states^2 multiply-adds; 160 bytes of stack on a Cortex-M4F. Source: tracking by PLACE with
 * prior; Kalman 1960.
 */
CAIRN_MUST_CHECK cairn_status cairn_track_range(cairn_track_t *self, const cairn_track_peer_t *peer, cairn_real range_m,
                                                cairn_real std_m, uint32_t t_us, cairn_track_innovation_t *innovation);

/**
 * Where the sensor is, at the time of the last call.
 *
 * self     tracker
 * place_m  [dim] out
 * std_m    out, nullable: deviation per coordinate (root of the mean of the axis variances)
 *
 * CAIRN_OK, CAIRN_FLIP_POSSIBLE (a mirror image fits as well), CAIRN_UNPLACED (nothing written), CAIRN_ERR_ARG (NULL)
 * Work: O(dim).
 */
CAIRN_MUST_CHECK cairn_status cairn_track_get_place(const cairn_track_t *self, cairn_real *place_m, cairn_real *std_m);

/**
 * Covariance of the place: what a node broadcasts beside its place.
 *
 * self    tracker
 * cov_m2  [CAIRN_SYMMETRIC_REALS(dim)] out, packed lower triangle
 *
 * CAIRN_OK, CAIRN_UNPLACED (nothing written), CAIRN_ERR_ARG (NULL). Work: O(dim^2).
 */
CAIRN_MUST_CHECK cairn_status cairn_track_get_covariance(const cairn_track_t *self, cairn_real *cov_m2);

/**
 * Velocity or heading vector.
 *
 * self    tracker
 * motion  [dim] velocity, m/s, or [min(dim, 2)] heading, out
 *
 * CAIRN_OK, CAIRN_ERR_STATE (the tracker has no motion states), CAIRN_ERR_ARG (NULL). Work: O(dim).
 */
CAIRN_MUST_CHECK cairn_status cairn_track_get_motion(const cairn_track_t *self, cairn_real *motion);

/**
 * Scale error of the ranges.
 *
 * self  tracker
 * std   out, nullable: its deviation
 *
 * Returns s in range = (1 + s) distance + bias. Work: O(1).
 */
cairn_real cairn_track_get_scale(const cairn_track_t *self, cairn_real *std);

/**
 * Common bias of the ranges.
 *
 * self   tracker
 * std_m  out, nullable: its deviation
 *
 * Returns the bias, metres. Work: O(1).
 */
cairn_real cairn_track_get_bias(const cairn_track_t *self, cairn_real *std_m);

/**
 * Bias of one link of the state.
 *
 * self   tracker
 * link   below cfg->n_link_biases
 * std_m  out, nullable: its deviation
 *
 * Returns the bias, metres; 0 for an unknown link. Work: O(1).
 */
cairn_real cairn_track_get_link_bias(const cairn_track_t *self, uint8_t link, cairn_real *std_m);

/**
 * Process-noise factor: how much larger than declared the motion noise had to be taken.
 *
 * self     tracker
 * clamped  out, nullable: for how many ranges it has been at its end since it was last below half of that, up to 31; 30
 *          or more: the motion model or the odometry is wrong, and no factor repairs that
 *
 * Returns 1 to 30. Work: O(1).
 */
cairn_real cairn_track_get_kappa(const cairn_track_t *self, uint8_t *clamped);

/**
 * Calls refused since init: ranges and odometry that are not finite or out of range, unknown links, times that are stale
 * or of another clock. Not counted are CAIRN_ERR_ARG, and numbers that cairn_track_set_place, cairn_track_set_heading and
 * cairn_track_calibrate refuse.
 *
 * self  tracker
 *
 * Returns the number, 255 meaning that many or more. Work: O(1).
 */
uint16_t cairn_track_get_refused(const cairn_track_t *self);

/** Last range of a link: 8 bytes. Private. */
typedef struct cairn_track_link {
    cairn_real range_m; /* 0: none */
    uint32_t t_us;
} cairn_track_link_t;

/** Anchors of a tracker and its last range to each, for start and re-lock. Private; holds pointers to caller arrays. */
typedef struct cairn_track_links {
    const cairn_real *place_m;
    cairn_track_link_t *link;
    uint32_t n_ranges;   /* folded in */
    uint32_t n_found[2]; /* starts; re-locks */
    uint32_t relock_us;  /* time of the last one */
    uint16_t n_links;
    uint8_t n_spread; /* so many fresh anchors are known to be spread in all directions */
} cairn_track_links_t;

/**
 * Start an empty table of links.
 *
 * self     out, every field is written
 * place_m  [n_links x dim] places of the anchors, kept by self; may be constant or change between calls
 * link     [n_links] caller's, kept by self; need not be cleared
 * n_links  1 to 255
 *
 * CAIRN_OK       ready
 * CAIRN_ERR_ARG  NULL, or n_links out of range
 *
 * Work: O(n_links).
 */
CAIRN_MUST_CHECK cairn_status cairn_track_links_init(cairn_track_links_t *self, const cairn_real *place_m,
                                                     cairn_track_link_t *link, size_t n_links);

/**
 * Fold in one range to an anchor of the table; find the start from the last ranges, and the sensor again when too many
 * ranges disagree (a leaky count reaches 8, or 5 when the better place leaves no doubt; at most one re-lock in 2 s). At a
 * count of 5, a scale more than 2 start deviations off was learned at a false place: start, scale and bias begin anew. For
 * sensors that always hear more than dim anchors that are not all on one line (in space: one plane or line): else the place
 * may be a mirror image that says PLACED, and the deviation is that of a linear filter, which does not know of mirror images
 * and circles. cairn_track_links_range does, for 1.4 KB more of code.
 *
 * self        table
 * track       tracker of the same dimension
 * link        below n_links
 * range_m, std_m, t_us, innovation  as cairn_track_range; not written for the range that starts the track, but for one that
 *                                   makes it start anew
 *
 * CAIRN_OK, CAIRN_REJECTED       used
 * CAIRN_UNPLACED                 kept for the start, which needs more links (dim + 1 fresh ones) or better placed ones; or
 *                                the place was given up
 * CAIRN_ERR_UNKNOWN_ID           link not below n_links; counted
 * others                         as cairn_track_range
 *
 * Work: as cairn_track_range; and 2^dim climbs of at most 4 log2(range / noise) + 8 rounds, each of 2 dim + 1 looks at
 * n_links x O(dim): at every range without a place, and, from 2 s after the last start or re-lock on, at every one with a
 * count of 5 or more and at every eighth while MIRROR. 3-D: cfg->side says on which side of all anchors it is.
 */
CAIRN_MUST_CHECK cairn_status cairn_track_lock_range(cairn_track_links_t *self, cairn_track_t *track, size_t link,
                                                     cairn_real range_m, cairn_real std_m, uint32_t t_us,
                                                     cairn_track_innovation_t *innovation);

/**
 * cairn_track_lock_range with care of what few anchors do not tell: with as many fresh links as dimensions or fewer, the
 * deviation grows by the mirror image, the circle, or a disagreement of the ranges. Fresh anchors on one line (in space: one
 * plane or line) leave a mirror image however many they are, also when they are up to 5 cfg->noise_m beside it: a start found
 * from them, and a sensor that has come near their line, is MIRROR until others are heard, a place is set, or, in space, it is
 * on the side that cfg->side says. With ODOMETRY and more than dim of them the flag alone tells: turns tell the sides
 * apart in time, and a larger deviation would hide them.
 *
 * self, track, link, range_m, std_m, t_us, innovation  as cairn_track_lock_range
 *
 * Returns as cairn_track_lock_range. Work: as that, and n_links x O(dim^2), with well spread anchors once in 16 ranges.
 */
CAIRN_MUST_CHECK cairn_status cairn_track_links_range(cairn_track_links_t *self, cairn_track_t *track, size_t link,
                                                      cairn_real range_m, cairn_real std_m, uint32_t t_us,
                                                      cairn_track_innovation_t *innovation);

/** Bias of one link, estimated beside the state: cheaper than a link state, over-confident. */
typedef struct cairn_track_bias {
    cairn_real bias_m;
    cairn_real var_m2;
} cairn_track_bias_t;

/**
 * Start the biases of the links of a table.
 *
 * bias     [n_links] out
 * n_links  as in cairn_track_links_init
 * cfg      settings of the tracker, for the expected bias; not kept
 *
 * CAIRN_OK       ready
 * CAIRN_ERR_ARG  NULL
 *
 * Work: O(n_links).
 */
CAIRN_MUST_CHECK cairn_status cairn_track_bias_init(cairn_track_bias_t *bias, size_t n_links,
                                                    const cairn_track_cfg_t *cfg);

/**
 * cairn_track_links_range with a bias per link: the range is freed of the link's bias, which then learns from what is left
 * over. The bias wanders by cfg->link_walk between two ranges, up to half a round of the clock (35 minutes) apart, beyond
 * that by cfg->fresh_s of it at least, but is never less known than at the start.
 *
 * bias   [links of self] in and out; unchanged if the result is < 0
 * self, track, link, range_m, std_m, t_us, innovation  as cairn_track_links_range
 *
 * CAIRN_ERR_ARG  NULL
 * others         as cairn_track_links_range; CAIRN_ERR_RANGE also for a range that its bias leaves nothing of, or that is
 *                larger than cfg->range_max_m without it
 *
 * Work: as cairn_track_links_range.
 */
CAIRN_MUST_CHECK cairn_status cairn_track_bias_range(cairn_track_bias_t *bias, cairn_track_links_t *self,
                                                     cairn_track_t *track, size_t link, cairn_real range_m,
                                                     cairn_real std_m, uint32_t t_us,
                                                     cairn_track_innovation_t *innovation);

/**
 * What the tracker knows of itself.
 *
 * track  tracker
 * self   its links, nullable: then it is never STARVED
 * t_us   now
 *
 * Returns the first that holds of UNPLACED, STARVED, DOUBTFUL, MIRROR, HEIGHT, PLACED. Ranges leave the table as others
 * come: when there has been none at all for 2^32 us, 71 minutes, old ones look fresh for twice cfg->fresh_s; begin a table
 * anew before that. Work: O(n_links).
 */
cairn_track_state cairn_track_get_state(const cairn_track_t *track, const cairn_track_links_t *self, uint32_t t_us);

#ifdef __cplusplus
}
#endif
#endif

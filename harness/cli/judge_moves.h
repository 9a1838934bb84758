/* kernelgate judge --moves: judges figures by kg__judge() for commands that are not C. */
#ifndef KG__CLI_JUDGE_MOVES_H
#define KG__CLI_JUDGE_MOVES_H

/* Reads {"moves": [MOVE...]} from the standard input and prints {"judgments": [{"verdict", "why",
 * "smallest"}...]}, in the same order. A MOVE has all of these, but "high" and "bound" are absent
 * where nothing is known of them, and "kept" where it is false; the moves are in the order of
 * sentinel.h:
 *
 *   {"unit": "ns", "value": 110, "low": 109, "high": 111, "baseline": 100, "band": 0.02,
 *    "floor": 50, "gated": true, "same_code": false, "foreign_processes": 0,
 *    "sentinel_moves": [0.001, -0.002, 0], "sentinel_limit": 0.01, "bound": "memory", "kept": true}
 *
 * Returns the exit code: KG__EXIT_ERROR with a complaint where a move has another form. */
int kg__judge_moves(void);

#endif

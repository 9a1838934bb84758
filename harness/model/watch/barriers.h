/* Barriers of a block that its threads do not all reach. Internal to watching. */
#ifndef KG__MODEL_WATCH_BARRIERS_H
#define KG__MODEL_WATCH_BARRIERS_H

/* Reports threads that wait for their block at different barriers. */
void kg__compare_barriers(void);

#endif

/* The clock that durations on the host are taken with. */
#ifndef KG__CLOCK_H
#define KG__CLOCK_H

/* Seconds since an arbitrary moment, by a clock that nobody sets. */
double kg__now(void);

#endif

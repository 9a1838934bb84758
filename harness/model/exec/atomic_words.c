/* SPDX-License-Identifier: MIT */
#include "model/exec/atomic_words.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>

/* Words of other sizes are accessed by one thread of the host at a time. */
static pthread_mutex_t wide_words = PTHREAD_MUTEX_INITIALIZER;

#define OF_SIZE(action)                                                                            \
    switch (bytes) {                                                                               \
        action(8) action(16) action(32) action(64) default : break;                                \
    }

void kg__exec_load_word(const void *word, void *value, size_t bytes)
{
#define LOAD(bits)                                                                                 \
    case (bits) / 8:                                                                               \
        __atomic_load((const uint##bits##_t *)word, (uint##bits##_t *)value, __ATOMIC_SEQ_CST);    \
        return;
    OF_SIZE(LOAD)
#undef LOAD
    pthread_mutex_lock(&wide_words);
    memcpy(value, word, bytes);
    pthread_mutex_unlock(&wide_words);
}

void kg__exec_store_word(void *word, const void *value, size_t bytes)
{
#define STORE(bits)                                                                                \
    case (bits) / 8:                                                                               \
        __atomic_store_n((uint##bits##_t *)word, *(const uint##bits##_t *)value,                   \
                         __ATOMIC_SEQ_CST);                                                        \
        return;
    OF_SIZE(STORE)
#undef STORE
    pthread_mutex_lock(&wide_words);
    memcpy(word, value, bytes);
    pthread_mutex_unlock(&wide_words);
}

bool kg__exec_exchange_word(void *word, const void *old, const void *now, size_t bytes)
{
    bool same;

#define EXCHANGE(bits)                                                                             \
    case (bits) / 8: {                                                                             \
        uint##bits##_t expected = *(const uint##bits##_t *)old;                                    \
        return __atomic_compare_exchange_n((uint##bits##_t *)word, &expected,                      \
                                           *(const uint##bits##_t *)now, false, __ATOMIC_SEQ_CST,  \
                                           __ATOMIC_SEQ_CST);                                      \
    }
    OF_SIZE(EXCHANGE)
#undef EXCHANGE
    pthread_mutex_lock(&wide_words);
    same = memcmp(word, old, bytes) == 0;
    if (same)
        memcpy(word, now, bytes);
    pthread_mutex_unlock(&wide_words);
    return same;
}

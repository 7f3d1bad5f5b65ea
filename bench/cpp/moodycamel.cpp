// moodycamel::ConcurrentQueue, with and without tokens. It keeps the order of each producer,
// not one order over all.
#include "pipes.h"

#if __has_include(<concurrentqueue/moodycamel/concurrentqueue.h>)
#include <concurrentqueue/moodycamel/concurrentqueue.h>
#elif __has_include(<concurrentqueue/concurrentqueue.h>)
#include <concurrentqueue/concurrentqueue.h>
#else
#include <concurrentqueue.h>
#endif

using queue_type = moodycamel::ConcurrentQueue<uint64_t>;

struct plain {
    queue_type items;
    struct producer {
        queue_type &q;
        explicit producer(plain &queue) : q(queue.items) {}
        bool push(uint64_t v) { return q.enqueue(v); }
    };
    struct consumer {
        queue_type &q;
        explicit consumer(plain &queue) : q(queue.items) {}
        bool pop(uint64_t &v) { return q.try_dequeue(v); }
    };
};

struct tokens {
    queue_type items;
    struct producer {
        queue_type &q;
        moodycamel::ProducerToken token;
        explicit producer(tokens &queue) : q(queue.items), token(queue.items) {}
        bool push(uint64_t v) { return q.enqueue(token, v); }
    };
    struct consumer {
        queue_type &q;
        moodycamel::ConsumerToken token;
        explicit consumer(tokens &queue) : q(queue.items), token(queue.items) {}
        bool pop(uint64_t &v) { return q.try_dequeue(token, v); }
    };
};

int main() {
    jobs all;
    all["plain"] = pipe_job<plain>;
    all["tokens"] = pipe_job<tokens>;
    return serve(all);
}

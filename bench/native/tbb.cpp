// The queues of oneTBB.
#include "harness.h"

#include <tbb/concurrent_queue.h>

template <class Q> struct handles {
    struct producer {
        Q &q;
        explicit producer(Q &queue) : q(queue) {}
        bool push(uint64_t v) { return q.add(v); }
    };
    struct consumer {
        Q &q;
        explicit consumer(Q &queue) : q(queue) {}
        bool pop(uint64_t &v) { return q.items.try_pop(v); }
    };
};

struct bounded : handles<bounded> {
    tbb::concurrent_bounded_queue<uint64_t> items;
    bounded() { items.set_capacity(1024); }
    bool add(uint64_t v) { return items.try_push(v); }
};

struct unbounded : handles<unbounded> {
    tbb::concurrent_queue<uint64_t> items;
    bool add(uint64_t v) {
        items.push(v);
        return true;
    }
};

int main() {
    jobs all;
    add_queue<bounded>(all, "bounded");
    add_queue<unbounded>(all, "queue");
    return serve(all);
}

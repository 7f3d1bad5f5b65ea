// Numbers through a queue, as the rows in Go do it.
#pragma once

#include "harness.h"

// Q offers Q::producer(Q&) with push(v), which returns false when full, and Q::consumer(Q&)
// with pop(v), which returns false when empty.
template <class Q> int64_t push_pop_alone(int64_t n, uint64_t &sum) {
    Q queue;
    typename Q::producer in(queue);
    typename Q::consumer out(queue);
    const int64_t start = now_ns();
    for (int64_t i = 0; i < n; i++) {
        in.push(uint64_t(i));
        uint64_t v = 0;
        out.pop(v);
        sum += v;
    }
    return now_ns() - start;
}

// The time is from the moment when all threads, which run by then, are let go, to the end of
// the last one. A try that fails is repeated after a yield.
template <class Q> int64_t push_pop_shared(int64_t peers, int64_t n, uint64_t &all) {
    Q queue;
    std::atomic<int> ready{0};
    std::atomic<bool> begin{false};
    std::atomic<uint64_t> total{0};
    std::vector<int64_t> ends(size_t(2 * peers));
    std::vector<std::thread> threads;
    auto await_begin = [&] {
        ready.fetch_add(1);
        while (!begin.load()) std::this_thread::yield();
    };
    for (int64_t i = 0; i < peers; i++) {
        const int64_t from = n * i / peers, to = n * (i + 1) / peers;
        threads.emplace_back([&, i, from, to] {
            typename Q::producer in(queue);
            await_begin();
            for (int64_t v = from; v < to; v++)
                while (!in.push(uint64_t(v))) std::this_thread::yield();
            ends[size_t(2 * i)] = now_ns();
        });
        threads.emplace_back([&, i, from, to] {
            typename Q::consumer out(queue);
            await_begin();
            uint64_t sum = 0;
            for (int64_t k = from; k < to; k++) {
                uint64_t v = 0;
                while (!out.pop(v)) std::this_thread::yield();
                sum += v;
            }
            ends[size_t(2 * i + 1)] = now_ns();
            total.fetch_add(sum);
        });
    }
    while (ready.load() != 2 * peers) std::this_thread::yield();
    const int64_t start = now_ns();
    begin.store(true);
    for (auto &t : threads) t.join();
    int64_t last = start;
    for (int64_t end : ends) last = end > last ? end : last;
    all = total.load();
    return last - start;
}

inline void check_sum(uint64_t sum, int64_t n) {
    require(sum == uint64_t(n) * uint64_t(n - 1) / 2, "the popped values are not the pushed ones");
}

// The job of a queue: peers producers and as many consumers, or one thread.
template <class Q> answer pipe_job(const job_args &a) {
    const int64_t n = a.number("n"), peers = a.number("peers");
    return repeat_timed(a.number("turn"), [&] {
        uint64_t sum = 0;
        const int64_t took = peers == 0 ? push_pop_alone<Q>(n, sum) : push_pop_shared<Q>(peers, n, sum);
        check_sum(sum, n);
        return took;
    });
}

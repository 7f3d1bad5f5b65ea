// What the C++ programs share: they read one job a line, "case kind n", run it, and answer
// with one line, "ok" and numbers, or "error" and a reason. Between jobs they sleep in read.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#if defined(__x86_64__) || defined(__i386__)
inline void pause_cpu() { __builtin_ia32_pause(); }
#elif defined(__aarch64__)
inline void pause_cpu() { asm volatile("yield"); }
#else
inline void pause_cpu() {}
#endif

inline int64_t now_ns() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

// A job answers with the numbers to print.
using job = std::function<std::vector<int64_t>(int64_t n)>;
using jobs = std::map<std::string, job>; // by "case kind"

// Q offers Q::producer(Q&) with push(v), which returns false when full, and Q::consumer(Q&)
// with pop(v), which returns false when empty.
template <class Q> std::vector<int64_t> push_pop_alone(int64_t n) {
    Q queue;
    typename Q::producer in(queue);
    typename Q::consumer out(queue);
    uint64_t sum = 0;
    const int64_t start = now_ns();
    for (int64_t i = 0; i < n; i++) {
        in.push(uint64_t(i));
        uint64_t v = 0;
        out.pop(v);
        sum += v;
    }
    return {now_ns() - start, int64_t(sum)};
}

// The time is from the moment when all threads, which run by then, are let go, to the end of
// the last one. A try that fails is repeated after a yield.
template <class Q> std::vector<int64_t> push_pop_shared(int peers, int64_t n) {
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
    for (int i = 0; i < peers; i++) {
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
    return {last - start, int64_t(total.load())};
}

template <class Q> void add_queue(jobs &all, const std::string &kind) {
    all["same " + kind] = [](int64_t n) { return push_pop_alone<Q>(n); };
    all["1P1C " + kind] = [](int64_t n) { return push_pop_shared<Q>(1, n); };
    all["2P2C " + kind] = [](int64_t n) { return push_pop_shared<Q>(2, n); };
    all["4P4C " + kind] = [](int64_t n) { return push_pop_shared<Q>(4, n); };
}

inline int serve(const jobs &all) {
    std::string line;
    while (std::getline(std::cin, line)) {
        std::istringstream words(line);
        std::string name, kind;
        int64_t n = 0;
        words >> name >> kind >> n;
        auto found = all.find(name + " " + kind);
        if (found == all.end()) {
            std::cout << "error no such job" << std::endl;
            continue;
        }
        std::cout << "ok";
        for (int64_t v : found->second(n)) std::cout << ' ' << v;
        std::cout << std::endl;
    }
    return 0;
}

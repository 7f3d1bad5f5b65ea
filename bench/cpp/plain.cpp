// What needs no library: a bounded MPMC ring, a work-stealing deque, the kernel's futex, and a
// plain loop.
#include "loops.h"
#include "pipes.h"

#ifdef __linux__
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

// A bounded queue in which each slot carries a sequence number, after the algorithm that
// D. Vyukov published as "Bounded MPMC queue". A slot is free for the push at position p when
// its number is p, and full for the pop at p when it is p + 1.
class vyukov_ring {
    static constexpr uint64_t size = 1024;
    struct slot {
        std::atomic<uint64_t> turn;
        uint64_t value;
    };
    alignas(64) std::atomic<uint64_t> head{0};
    alignas(64) std::atomic<uint64_t> tail{0};
    alignas(64) std::unique_ptr<slot[]> slots{new slot[size]};

  public:
    vyukov_ring() {
        for (uint64_t i = 0; i < size; i++) slots[i].turn.store(i, std::memory_order_relaxed);
    }
    bool try_push(uint64_t v) {
        uint64_t at = tail.load(std::memory_order_relaxed);
        for (;;) {
            slot &s = slots[at % size];
            const int64_t lead = int64_t(s.turn.load(std::memory_order_acquire) - at);
            if (lead < 0) return false;
            if (lead > 0) {
                at = tail.load(std::memory_order_relaxed);
            } else if (tail.compare_exchange_weak(at, at + 1, std::memory_order_relaxed)) {
                s.value = v;
                s.turn.store(at + 1, std::memory_order_release);
                return true;
            }
        }
    }
    bool try_pop(uint64_t &v) {
        uint64_t at = head.load(std::memory_order_relaxed);
        for (;;) {
            slot &s = slots[at % size];
            const int64_t lead = int64_t(s.turn.load(std::memory_order_acquire) - (at + 1));
            if (lead < 0) return false;
            if (lead > 0) {
                at = head.load(std::memory_order_relaxed);
            } else if (head.compare_exchange_weak(at, at + 1, std::memory_order_relaxed)) {
                v = s.value;
                s.turn.store(at + size, std::memory_order_release);
                return true;
            }
        }
    }
    struct producer {
        vyukov_ring &q;
        explicit producer(vyukov_ring &ring) : q(ring) {}
        bool push(uint64_t v) { return q.try_push(v); }
    };
    struct consumer {
        vyukov_ring &q;
        explicit consumer(vyukov_ring &ring) : q(ring) {}
        bool pop(uint64_t &v) { return q.try_pop(v); }
    };
};

// The deque of Chase and Lev (SPAA 2005) with the memory orders of Le, Pop, Cohen and
// Zappa Nardelli, "Correct and Efficient Work-Stealing for Weak Memory Models" (PPoPP 2013).
class chase_lev {
    struct buffer {
        int64_t mask;
        std::unique_ptr<std::atomic<uint64_t>[]> slots;
        explicit buffer(int64_t size) : mask(size - 1), slots(new std::atomic<uint64_t>[size_t(size)]) {}
        uint64_t get(int64_t i) const { return slots[size_t(i & mask)].load(std::memory_order_relaxed); }
        void put(int64_t i, uint64_t v) { slots[size_t(i & mask)].store(v, std::memory_order_relaxed); }
    };
    alignas(64) std::atomic<int64_t> top{0};
    alignas(64) std::atomic<int64_t> bottom{0};
    std::atomic<buffer *> current;
    std::vector<std::unique_ptr<buffer>> all; // freed at the end: a thief may still read

  public:
    chase_lev() {
        all.emplace_back(new buffer(16));
        current.store(all.back().get());
    }
    void push(uint64_t v) {
        const int64_t b = bottom.load(std::memory_order_relaxed);
        const int64_t t = top.load(std::memory_order_acquire);
        buffer *a = current.load(std::memory_order_relaxed);
        if (b - t > a->mask) {
            all.emplace_back(new buffer(2 * (a->mask + 1)));
            buffer *grown = all.back().get();
            for (int64_t i = t; i < b; i++) grown->put(i, a->get(i));
            current.store(grown, std::memory_order_release);
            a = grown;
        }
        a->put(b, v);
        std::atomic_thread_fence(std::memory_order_release);
        bottom.store(b + 1, std::memory_order_relaxed);
    }
    bool pop(uint64_t &v) {
        const int64_t b = bottom.load(std::memory_order_relaxed) - 1;
        buffer *a = current.load(std::memory_order_relaxed);
        bottom.store(b, std::memory_order_relaxed);
        std::atomic_thread_fence(std::memory_order_seq_cst);
        int64_t t = top.load(std::memory_order_relaxed);
        bool got = t <= b;
        if (got) v = a->get(b);
        if (t == b)
            got = top.compare_exchange_strong(t, t + 1, std::memory_order_seq_cst, std::memory_order_relaxed);
        if (t >= b) bottom.store(b + 1, std::memory_order_relaxed);
        return got;
    }
    bool steal(uint64_t &v) {
        int64_t t = top.load(std::memory_order_acquire);
        std::atomic_thread_fence(std::memory_order_seq_cst);
        const int64_t b = bottom.load(std::memory_order_acquire);
        if (t >= b) return false;
        v = current.load(std::memory_order_acquire)->get(t);
        return top.compare_exchange_strong(t, t + 1, std::memory_order_seq_cst, std::memory_order_relaxed);
    }
};

static int64_t deque_push_pop(int64_t n, uint64_t &sum) {
    chase_lev d;
    for (int64_t i = 0; i < 8; i++) d.push(uint64_t(i));
    const int64_t start = now_ns();
    for (int64_t i = 0; i < n; i++) {
        d.push(uint64_t(i));
        uint64_t v = 0;
        d.pop(v);
        sum += v;
    }
    return now_ns() - start;
}

static int64_t deque_steal(int64_t n, uint64_t &sum) {
    constexpr int64_t batch = 1024;
    chase_lev d;
    int64_t took = 0;
    for (int64_t done = 0; done < n; done += batch) {
        const int64_t count = n - done < batch ? n - done : batch;
        for (int64_t i = 0; i < count; i++) d.push(uint64_t(done + i));
        const int64_t start = now_ns();
        for (int64_t i = 0; i < count; i++) {
            uint64_t v = 0;
            d.steal(v);
            sum += v;
        }
        took += now_ns() - start;
    }
    return took;
}

template <class Pass> static answer deque_job(const job_args &a, Pass pass) {
    const int64_t n = a.number("n");
    return repeat_timed(a.number("turn"), [&] {
        uint64_t sum = 0;
        const int64_t took = pass(n, sum);
        check_sum(sum, n);
        return took;
    });
}

static void compute(int64_t ns) {
    for (const int64_t end = now_ns() + ns; now_ns() < end;)
        for (int i = 0; i < 4; i++) pause_cpu();
}

// A worker that waits on a word and stamps the moment when it runs again. The waker computes
// for the idle time, wakes, and spins until it sees the stamp. The first wake warms up.
template <class Wait, class Wake> static answer wake_job(const job_args &a, Wait wait, Wake wake) {
    const int64_t n = a.number("n"), idle = a.number("idle");
    std::atomic<uint32_t> word{0};
    std::atomic<int64_t> stamp{1};
    std::atomic<bool> stop{false};
    std::thread worker([&] {
        while (!stop.load()) {
            wait(word);
            word.store(0);
            stamp.store(now_ns());
        }
    });
    answer latency;
    for (int64_t i = 0; i <= n; i++) {
        compute(idle);
        stamp.store(0);
        const int64_t start = now_ns();
        wake(word);
        while (stamp.load() == 0) pause_cpu();
        if (i > 0) latency.push_back(stamp.load() - start);
    }
    stop.store(true);
    wake(word);
    worker.join();
    return latency;
}

int main() {
    jobs all;
    all["ring"] = pipe_job<vyukov_ring>;
    all["deque-pushpop"] = [](const job_args &a) { return deque_job(a, deque_push_pop); };
    all["deque-steal"] = [](const job_args &a) { return deque_job(a, deque_steal); };
    all["parfor"] = [](const job_args &a) {
        return loop_job(a, [](int64_t n, auto body) { body(0, n); });
    };
    all["spin"] = [](const job_args &a) {
        return wake_job(
            a, [](std::atomic<uint32_t> &w) { while (w.load() == 0) pause_cpu(); },
            [](std::atomic<uint32_t> &w) { w.store(1); });
    };
#ifdef __linux__
    all["futex"] = [](const job_args &a) {
        return wake_job(
            a,
            [](std::atomic<uint32_t> &w) {
                while (w.load() == 0)
                    syscall(SYS_futex, reinterpret_cast<uint32_t *>(&w), FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
            },
            [](std::atomic<uint32_t> &w) {
                w.store(1);
                syscall(SYS_futex, reinterpret_cast<uint32_t *>(&w), FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
            });
    };
#endif
    return serve(all);
}

// What needs no library: a bounded MPMC ring, a work-stealing deque, and the kernel's futex.
#include "harness.h"

#include <memory>

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

static std::vector<int64_t> deque_push_pop(int64_t below, int64_t n) {
    chase_lev d;
    for (int64_t i = 0; i < below; i++) d.push(uint64_t(i));
    uint64_t sum = 0;
    const int64_t start = now_ns();
    for (int64_t i = 0; i < n; i++) {
        d.push(uint64_t(i));
        uint64_t v = 0;
        d.pop(v);
        sum += v;
    }
    return {now_ns() - start, int64_t(sum)};
}

static std::vector<int64_t> deque_steal(int64_t n) {
    constexpr int64_t batch = 1024;
    chase_lev d;
    uint64_t sum = 0;
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
    return {took, int64_t(sum)};
}

static void compute(int64_t ns) {
    for (const int64_t end = now_ns() + ns; now_ns() < end;)
        for (int i = 0; i < 4; i++) pause_cpu();
}

// A worker that waits on a word and stamps the moment when it runs again. The waker computes
// for the idle time, wakes, and spins until it sees the stamp. The answer is latencies, then
// what the wakes cost the waker.
template <class Wait, class Wake>
static std::vector<int64_t> wake_worker(int64_t n, int64_t idle_ns, Wait wait, Wake wake) {
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
    std::vector<int64_t> latency, cost;
    for (int64_t i = 0; i < n; i++) {
        compute(idle_ns);
        stamp.store(0);
        const int64_t start = now_ns();
        wake(word);
        cost.push_back(now_ns() - start);
        while (stamp.load() == 0) pause_cpu();
        latency.push_back(stamp.load() - start);
    }
    stop.store(true);
    wake(word);
    worker.join();
    latency.insert(latency.end(), cost.begin(), cost.end());
    return latency;
}

int main() {
    jobs all;
    add_queue<vyukov_ring>(all, "ring");
    all["push+pop deque"] = [](int64_t n) { return deque_push_pop(8, n); };
    all["last deque"] = [](int64_t n) { return deque_push_pop(0, n); };
    all["steal deque"] = deque_steal;
    all["drowsing spin"] = [](int64_t n) {
        return wake_worker(
            n, 5000,
            [](std::atomic<uint32_t> &w) { while (w.load() == 0) pause_cpu(); },
            [](std::atomic<uint32_t> &w) { w.store(1); });
    };
#ifdef __linux__
    all["sleeping futex"] = [](int64_t n) {
        return wake_worker(
            n, 5000000,
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

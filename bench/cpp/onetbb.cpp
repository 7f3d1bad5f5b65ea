// oneTBB: tasks, flow graphs, loops, queues, and how its workers wake and idle.
#include "loops.h"
#include "pipes.h"
#include "replay.h"
#include "shapes.h"
#include "steps.h"

#include <tbb/blocked_range.h>
#include <tbb/concurrent_queue.h>
#include <tbb/flow_graph.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#ifdef __unix__
#include <sys/resource.h>
#endif

// So many workers, the calling thread included; also more than there are processors.
class workers {
    tbb::global_control limit;
    tbb::task_arena arena;

  public:
    explicit workers(const job_args &a)
        : limit(tbb::global_control::max_allowed_parallelism, size_t(a.number("workers"))), arena(int(a.number("workers"))) {}
    template <class F> void run(F f) { arena.execute(f); }
};

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

// Empty tasks are timed, and then as many that count themselves.
template <class Spawn> static answer spawn_job(const job_args &a, Spawn spawn) {
    const int64_t n = a.number("n");
    const answer took = repeat(a.number("turn"), [&] { spawn(n, [] {}); });
    std::atomic<int64_t> ran{0};
    spawn(n, [&] { ran++; });
    require(ran.load() == n, "not all tasks ran");
    return took;
}

static answer spawn_inside(const job_args &a) {
    workers w(a);
    return spawn_job(a, [&](int64_t n, auto body) {
        w.run([&] {
            tbb::task_group g;
            for (int64_t i = 0; i < n; i++) g.run(body);
            g.wait();
        });
    });
}

// The thread that launches is not a worker: all places of the arena are for workers.
static answer spawn_outside(const job_args &a) {
    const int count = int(a.number("workers"));
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, size_t(count) + 1);
    tbb::task_arena arena(count, 0);
    arena.initialize();
    return spawn_job(a, [&](int64_t n, auto body) {
        std::atomic<int64_t> left{n};
        for (int64_t i = 0; i < n; i++)
            arena.enqueue([&left, body] {
                body();
                left.fetch_sub(1);
            });
        while (left.load() != 0) std::this_thread::yield();
    });
}

static int64_t fib(int64_t n) {
    if (n < 2) return n;
    int64_t left = 0;
    tbb::task_group g;
    g.run([&left, n] { left = fib(n - 1); });
    const int64_t right = fib(n - 2);
    g.wait();
    return left + right;
}

static int64_t serial_fib(int64_t n) { return n < 2 ? n : serial_fib(n - 1) + serial_fib(n - 2); }

static answer fib_job(const job_args &a) {
    workers w(a);
    const int64_t n = a.number("n"), want = serial_fib(n);
    return repeat(a.number("turn"), [&] {
        int64_t got = 0;
        w.run([&] { got = fib(n); });
        require(got == want, "the Fibonacci number is wrong");
    });
}

static int64_t queens(int size, uint32_t columns, uint32_t left, uint32_t right) {
    const uint32_t all = (uint32_t(1) << size) - 1;
    if (columns == all) return 1;
    int64_t counts[32];
    int n = 0;
    tbb::task_group g;
    for (uint32_t free = all & ~(columns | left | right); free != 0; free &= free - 1) {
        const uint32_t bit = free & -free;
        int64_t *out = &counts[n++];
        g.run([=] { *out = queens(size, columns | bit, (left | bit) << 1, (right | bit) >> 1); });
    }
    g.wait();
    int64_t total = 0;
    for (int i = 0; i < n; i++) total += counts[i];
    return total;
}

static answer queens_job(const job_args &a) {
    static const int64_t known[] = {1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596};
    workers w(a);
    const int size = int(a.number("n"));
    return repeat(a.number("turn"), [&] {
        int64_t got = 0;
        w.run([&] { got = queens(size, 0, 0, 0); });
        require(got == known[size], "the number of solutions is wrong");
    });
}

static int64_t skynet(int64_t from, int64_t size) {
    if (size == 1) return from;
    int64_t sums[10];
    tbb::task_group g;
    for (int i = 0; i < 10; i++) {
        int64_t *out = &sums[i];
        g.run([=] { *out = skynet(from + i * size / 10, size / 10); });
    }
    g.wait();
    int64_t total = 0;
    for (int64_t sum : sums) total += sum;
    return total;
}

static answer skynet_job(const job_args &a) {
    workers w(a);
    int64_t leaves = 1;
    for (int64_t i = a.number("n"); i > 0; i--) leaves *= 10;
    return repeat(a.number("turn"), [&] {
        int64_t got = 0;
        w.run([&] { got = skynet(0, leaves); });
        require(got == leaves * (leaves - 1) / 2, "the sum is wrong");
    });
}

// A shape as a flow graph.
class flow {
    using node = tbb::flow::continue_node<tbb::flow::continue_msg>;
    const shape &edges;
    tbb::flow::graph graph;
    std::vector<std::unique_ptr<node>> nodes;

  public:
    // body(i) is called for each task.
    template <class Body> flow(const shape &g, Body body) : edges(g) {
        nodes.reserve(g.size());
        for (uint32_t i = 0; i < g.size(); i++) {
            nodes.emplace_back(new node(graph, [i, body](const tbb::flow::continue_msg &m) {
                body(i);
                return m;
            }));
            for (uint32_t p : g.preds[i]) tbb::flow::make_edge(*nodes[p], *nodes[i]);
        }
    }
    void run() {
        for (uint32_t i = 0; i < edges.size(); i++)
            if (edges.preds[i].empty()) nodes[i]->try_put(tbb::flow::continue_msg());
        graph.wait_for_all();
    }
};

// Runs the shape with tasks that look whether their predecessors have run.
static void check_flow(const shape &g) {
    task_bench bench(g);
    flow f(g, [&](uint32_t i) { bench.execute(i); });
    for (int i = 0; i < 2; i++) {
        bench.run++;
        f.run();
        bench.check();
    }
}

static answer graph_rerun(const job_args &a) {
    workers w(a);
    const shape g(a.text("file"));
    answer took;
    w.run([&] {
        {
            flow f(g, [](uint32_t) {});
            took = repeat(a.number("turn"), [&] { f.run(); });
        }
        check_flow(g);
    });
    return took;
}

static answer graph_build(const job_args &a) {
    workers w(a);
    const shape g(a.text("file"));
    answer took;
    w.run([&] {
        took = repeat(a.number("turn"), [&] {
            flow f(g, [](uint32_t) {});
            f.run();
        });
        check_flow(g);
    });
    return took;
}

// Runs of tasks that compute, after one that warms up.
static answer metg(const job_args &a) {
    workers w(a);
    const shape g(a.text("file"));
    task_bench bench(g);
    answer took;
    w.run([&] {
        flow f(g, [&](uint32_t i) { bench.execute(i); });
        const auto run = [&] {
            bench.run++;
            return timed([&] { f.run(); });
        };
        run();
        bench.rounds = a.number("rounds");
        int64_t left = a.number("time");
        do {
            took.push_back(run());
            left -= took.back();
        } while (left > 0);
        bench.check();
    });
    return took;
}

static answer frames(const job_args &a) {
    workers w(a);
    const shape g(a.text("file"));
    task_bench bench(g);
    bench.rounds = a.number("rounds");
    answer took;
    w.run([&] {
        flow f(g, [&](uint32_t i) { bench.execute(i); });
        for (int64_t i = a.number("frames"); i >= 0; i--) {
            bench.run++;
            const int64_t ns = timed([&] { f.run(); });
            if (bench.run > 1) took.push_back(ns); // the first warms up
        }
        bench.check();
    });
    return took;
}

static void visit(step_tasks &t, uint32_t i) {
    t.bench.execute(i);
    const auto &next = t.succs[i];
    if (next.empty()) return;
    tbb::task_group g;
    for (size_t k = 1; k < next.size(); k++) g.run([&t, &next, k] { visit(t, next[k]); });
    visit(t, next[0]);
    g.wait();
}

static answer steps(const job_args &a) {
    workers w(a);
    step_tasks t(a);
    const std::string &kind = a.text("kind");
    const uint32_t size = kind == "chain" ? uint32_t(a.number("pieces")) : uint32_t(t.graph.size());
    answer took;
    w.run([&] {
        if (kind == "graph") {
            flow f(t.graph, [&](uint32_t i) { t.bench.execute(i); });
            took = measure_steps(a, t.bench, [&] { f.run(); });
        } else if (kind == "forks") {
            took = measure_steps(a, t.bench, [&] { visit(t, 0); });
        } else {
            took = measure_steps(a, t.bench, [&] {
                for (uint32_t lo = 0; lo < t.graph.size(); lo += size)
                    tbb::parallel_for(lo, lo + size, [&](uint32_t i) { t.bench.execute(i); });
            });
        }
    });
    return took;
}

// A node for each step, whose body is a loop; or one for each piece and one for the end of each step.
class frame_flow {
    using node = tbb::flow::continue_node<tbb::flow::continue_msg>;
    replay &f;
    tbb::flow::graph graph;
    std::vector<std::unique_ptr<node>> nodes;
    std::vector<node *> first; // that come after nothing
    std::vector<node *> ends;

    template <class Body> node *add(Body body) {
        nodes.emplace_back(new node(graph, [body](const tbb::flow::continue_msg &m) {
            body();
            return m;
        }));
        return nodes.back().get();
    }
    void follow(node *n, const replay::step_of &s) {
        for (int k : s.after) tbb::flow::make_edge(*ends[size_t(k)], *n);
        if (s.after.empty()) first.push_back(n);
    }
    void range(int i, int lo, int hi) {
        for (int k = lo; k < hi; k++) {
            f.piece(i, k);
            f.fed(i, k);
        }
    }

  public:
    frame_flow(replay &of, bool apart) : f(of) {
        std::vector<std::vector<node *>> own(f.steps.size());
        for (int i = 0; i < int(f.steps.size()); i++) {
            const replay::step_of &s = f.steps[size_t(i)];
            const int n = int(s.pieces.size());
            if (!apart) {
                ends.push_back(add([this, &s, i, n] {
                    if (s.source >= 0) {
                        // Who feeds its pieces has done them.
                    } else if (n <= s.grain) {
                        range(i, 0, n);
                    } else {
                        tbb::parallel_for(
                            tbb::blocked_range<int>(0, n, size_t(s.grain)), [&](const tbb::blocked_range<int> &r) { range(i, r.begin(), r.end()); },
                            tbb::simple_partitioner());
                    }
                    f.end(i);
                }));
                follow(ends.back(), s);
                continue;
            }
            const int grain = s.source >= 0 || s.to >= 0 ? 1 : s.grain;
            for (int lo = 0; lo < n; lo += grain) {
                const int hi = std::min(lo + grain, n);
                own[size_t(i)].push_back(add([this, i, lo, hi] {
                    for (int k = lo; k < hi; k++) f.piece(i, k);
                }));
                if (s.source >= 0)
                    tbb::flow::make_edge(*own[size_t(s.source)][size_t(s.pieces[size_t(lo)].by)], *own[size_t(i)].back());
                else
                    follow(own[size_t(i)].back(), s);
            }
            node *end = add([this, i] { f.end(i); });
            for (node *n : own[size_t(i)]) tbb::flow::make_edge(*n, *end);
            for (int k : s.after) tbb::flow::make_edge(*ends[size_t(k)], *end);
            ends.push_back(end);
        }
    }
    void run() {
        for (node *n : first) n->try_put(tbb::flow::continue_msg());
        graph.wait_for_all();
    }
};

static answer replay_job(const job_args &a) {
    workers w(a);
    replay f(a.text("file"));
    const std::string &kind = a.text("kind");
    answer took;
    w.run([&] {
        if (kind == "serial") {
            took = measure_frames(a, f, [&] { f.serial(); });
            return;
        }
        frame_flow flow(f, kind == "pieces");
        took = measure_frames(a, f, [&] { flow.run(); });
    });
    return took;
}

static answer parfor(const job_args &a) {
    workers w(a);
    return loop_job(a, [&](int64_t n, auto body) {
        w.run([&] {
            tbb::parallel_for(tbb::blocked_range<int64_t>(0, n), [&](const tbb::blocked_range<int64_t> &r) { body(r.begin(), r.end()); });
        });
    });
}

static answer parfor_static(const job_args &a) {
    workers w(a);
    return loop_job(a, [&](int64_t n, auto body) {
        w.run([&] {
            tbb::parallel_for(
                tbb::blocked_range<int64_t>(0, n), [&](const tbb::blocked_range<int64_t> &r) { body(r.begin(), r.end()); },
                tbb::static_partitioner());
        });
    });
}

static void compute(int64_t ns) {
    for (const int64_t end = now_ns() + ns; now_ns() < end;)
        for (int i = 0; i < 4; i++) pause_cpu();
}

// From the call that enqueues a task to its first instruction. The first warms up.
static answer wake(const job_args &a) {
    const int64_t n = a.number("n"), idle = a.number("idle");
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 2);
    tbb::task_arena arena(1, 0);
    arena.initialize();
    answer latency;
    for (int64_t i = 0; i <= n; i++) {
        compute(idle);
        std::atomic<int64_t> stamp{0};
        const int64_t start = now_ns();
        arena.enqueue([&stamp] { stamp.store(now_ns()); });
        while (stamp.load() == 0) pause_cpu();
        if (i > 0) latency.push_back(stamp.load() - start);
    }
    return latency;
}

// Processor nanoseconds and context switches of this process while its workers are idle.
static answer idle(const job_args &a) {
#ifdef __unix__
    workers w(a);
    const int64_t n = a.number("n");
    w.run([&] {
        tbb::task_group g;
        for (int64_t i = 0; i < n; i++) g.run([] {});
        g.wait();
    });
    const auto window = std::chrono::nanoseconds(a.number("turn"));
    std::this_thread::sleep_for(window / 10);
    auto used = [] {
        rusage u;
        getrusage(RUSAGE_SELF, &u);
        auto ns = [](const timeval &t) { return int64_t(t.tv_sec) * 1000000000 + int64_t(t.tv_usec) * 1000; };
        return answer{ns(u.ru_utime) + ns(u.ru_stime), int64_t(u.ru_nvcsw + u.ru_nivcsw)};
    };
    const answer before = used();
    std::this_thread::sleep_for(window);
    const answer after = used();
    return {after[0] - before[0], after[1] - before[1]};
#else
    (void)a;
    throw std::runtime_error("the use of the processor cannot be read here");
#endif
}

int main() {
    jobs all;
    all["bounded"] = pipe_job<bounded>;
    all["queue"] = pipe_job<unbounded>;
    all["spawn-inside"] = spawn_inside;
    all["spawn-outside"] = spawn_outside;
    all["fib"] = fib_job;
    all["nqueens"] = queens_job;
    all["skynet"] = skynet_job;
    all["graph-rerun"] = graph_rerun;
    all["graph-build"] = graph_build;
    all["metg"] = metg;
    all["frames"] = frames;
    all["steps"] = steps;
    all["replay"] = replay_job;
    all["parfor"] = parfor;
    all["parfor-static"] = parfor_static;
    all["wake"] = wake;
    all["idle"] = idle;
    return serve(all);
}

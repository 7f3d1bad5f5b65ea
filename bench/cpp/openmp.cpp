// OpenMP: tasks and loops.
#include "loops.h"
#include "steps.h"

#include <omp.h>

static int64_t fib(int64_t n) {
    if (n < 2) return n;
    int64_t left = 0;
#pragma omp task shared(left) firstprivate(n)
    left = fib(n - 1);
    const int64_t right = fib(n - 2);
#pragma omp taskwait
    return left + right;
}

static int64_t serial_fib(int64_t n) {
    int64_t a = 0, b = 1;
    for (; n > 0; n--) {
        const int64_t c = a + b;
        a = b;
        b = c;
    }
    return a;
}

static answer fib_job(const job_args &a) {
    const int64_t n = a.number("n"), want = serial_fib(n);
    const int workers = int(a.number("workers"));
    return repeat(a.number("turn"), [&] {
        int64_t got = 0;
#pragma omp parallel num_threads(workers)
#pragma omp single
        got = fib(n);
        require(got == want, "the Fibonacci number is wrong");
    });
}

static answer parfor_job(const job_args &a) {
    const int workers = int(a.number("workers"));
    return loop_job(a, [workers](int64_t n, auto body) {
#pragma omp parallel num_threads(workers)
        {
            const int64_t i = omp_get_thread_num(), parts = omp_get_num_threads();
            body(n * i / parts, n * (i + 1) / parts);
        }
    });
}

static void visit(step_tasks &t, uint32_t i) {
    t.bench.execute(i);
    const auto &next = t.succs[i];
    if (next.empty()) return;
    for (size_t k = 1; k < next.size(); k++) {
#pragma omp task shared(t, next) firstprivate(k)
        visit(t, next[k]);
    }
    visit(t, next[0]);
#pragma omp taskwait
}

// A task for each node, after its predecessors.
static void run_graph(step_tasks &t, char *done) {
    for (uint32_t i = 0; i < t.graph.size(); i++) {
        const uint32_t *before = t.graph.preds[i].data();
        const size_t n = t.graph.preds[i].size();
        if (n == 0) {
#pragma omp task shared(t) firstprivate(i) depend(out : done[i])
            t.bench.execute(i);
        } else {
#pragma omp task shared(t) firstprivate(i) depend(iterator(size_t k = 0 : n), in : done[before[k]]) depend(out : done[i])
            t.bench.execute(i);
        }
    }
}

// How threads wait between steps is OMP_WAIT_POLICY's. After the turn they end: one that is told to
// stay awake does so whatever else runs.
static answer steps(const job_args &a) {
    const int workers = int(a.number("workers"));
    step_tasks t(a);
    std::vector<char> done(t.graph.size());
    const std::string &kind = a.text("kind");
    const uint32_t n = uint32_t(t.graph.size()), size = kind == "chain" ? uint32_t(a.number("pieces")) : n;
    const answer took = measure_steps(a, t.bench, [&] {
        if (kind == "graph" || kind == "forks") {
#pragma omp parallel num_threads(workers)
#pragma omp single
            {
                if (kind == "graph")
                    run_graph(t, done.data());
                else
                    visit(t, 0);
            }
            return;
        }
        for (uint32_t lo = 0; lo < n; lo += size) {
#pragma omp parallel for num_threads(workers)
            for (uint32_t i = lo; i < lo + size; i++) t.bench.execute(i);
        }
    });
    require(omp_pause_resource_all(omp_pause_hard) == 0, "the threads do not end");
    return took;
}

int main() {
    omp_set_dynamic(0);
    jobs all;
    all["fib"] = fib_job;
    all["parfor"] = parfor_job;
    all["steps"] = steps;
    return serve(all);
}

// OpenMP: tasks and loops.
#include "loops.h"

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

int main() {
    omp_set_dynamic(0);
    jobs all;
    all["fib"] = fib_job;
    all["parfor"] = parfor_job;
    return serve(all);
}

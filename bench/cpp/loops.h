// The loop of the parfor workloads: y += a*x.
#pragma once

#include "harness.h"

// over(n, body) calls body(lo, hi) for ranges that cover [0, n).
template <class Over> answer loop_job(const job_args &args, Over over) {
    const int64_t n = args.number("n"), calls = args.number("calls");
    std::vector<float> x(size_t(n), 0.5f), y(size_t(n), 0.0f);
    const float *xs = x.data();
    float *ys = y.data();
    const float a = 2;
    int64_t done = 0;
    const answer took = repeat(args.number("turn"), [&] {
        for (int64_t i = 0; i < calls; i++)
            over(n, [=](int64_t lo, int64_t hi) {
                int64_t k = lo;
                for (; k + 8 <= hi; k += 8) { // as in Go
                    ys[k] += a * xs[k];
                    ys[k + 1] += a * xs[k + 1];
                    ys[k + 2] += a * xs[k + 2];
                    ys[k + 3] += a * xs[k + 3];
                    ys[k + 4] += a * xs[k + 4];
                    ys[k + 5] += a * xs[k + 5];
                    ys[k + 6] += a * xs[k + 6];
                    ys[k + 7] += a * xs[k + 7];
                }
                for (; k < hi; k++) ys[k] += a * xs[k];
            });
        done += calls;
    });
    const float want = float(done < 1 << 24 ? done : 1 << 24); // up to here floats count
    for (float got : y) require(got == want, "an element of the loop is wrong");
    return took;
}

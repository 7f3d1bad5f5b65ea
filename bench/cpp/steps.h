// Steps of work, back to back or at a beat, as the rows in Go run them.
#pragma once

#include "shapes.h"

#include <algorithm>
#include <fstream>

#ifdef __linux__
#include <dirent.h>
#endif
#ifdef __unix__
#include <sys/resource.h>
#endif

// Rounds of the kernel in so many nanoseconds on this machine, by this compiler: the best of a few
// tries.
inline double rounds_in(double ns) {
    static const double per_ns = [] {
        const int64_t rounds = 100000;
        int64_t best = INT64_MAX;
        for (int i = 0; i < 9; i++)
            best = std::min(best, timed([&] { require(kernel(rounds) != 0, "the kernel has no zero"); }));
        return double(rounds) / double(std::max<int64_t>(1, best));
    }();
    return per_ns * ns;
}

// Processor time, context switches, and the time that threads waited for a processor; -1 where
// nobody can tell.
struct step_use {
    int64_t cpu = -1, switches = -1, waited = -1;
    step_use() {
#ifdef __unix__
        rusage u;
        getrusage(RUSAGE_SELF, &u);
        auto ns = [](const timeval &t) { return int64_t(t.tv_sec) * 1000000000 + int64_t(t.tv_usec) * 1000; };
        cpu = ns(u.ru_utime) + ns(u.ru_stime);
        switches = u.ru_nvcsw + u.ru_nivcsw;
#endif
#ifdef __linux__
        if (DIR *dir = opendir("/proc/self/task")) {
            while (const dirent *thread = readdir(dir)) {
                std::ifstream file("/proc/self/task/" + std::string(thread->d_name) + "/schedstat");
                int64_t ran, delay;
                if (file >> ran >> delay) waited = std::max<int64_t>(0, waited) + delay;
            }
            closedir(dir);
        }
#endif
    }
};

// The tasks of a step: the part of each in the work stands where shapes have a step.
struct step_tasks {
    const shape graph;
    task_bench bench;
    std::vector<std::vector<uint32_t>> succs;

    explicit step_tasks(const job_args &a) : graph(a.text("file")), bench(graph), succs(graph.size()) {
        double sum = 0;
        for (const auto &at : graph.at) sum += at.step;
        const double total = rounds_in(double(a.number("work")));
        for (uint32_t i = 0; i < graph.size(); i++) {
            bench.each.push_back(int64_t(total * graph.at[i].step / sum));
            for (uint32_t p : graph.preds[i]) succs[p].push_back(i);
        }
    }
};

// Runs steps. The answer begins with missed beats, all beats, wall and processor time, context
// switches and what threads waited for a processor, -1 for what nobody can tell; then come the
// nanoseconds of each step.
template <class Run> answer measure_steps(const job_args &a, task_bench &bench, Run run) {
    const int64_t beat = a.number("beat"), length = a.number("turn"), awake = a.number("awake"), most = a.number("most");
    auto step = [&] {
        bench.run++;
        run();
    };
    for (int i = 0; i < 3; i++) step();
    answer took;
    took.reserve(size_t(most));
    int64_t missed = 0, due = 0;
    const step_use before;
    const int64_t start = now_ns();
    for (int64_t at = start; int64_t(took.size()) < most;) {
        int64_t begin = now_ns();
        if (begin - start >= length && !took.empty()) break;
        if (beat > 0) {
            at += beat;
            std::this_thread::sleep_for(std::chrono::nanoseconds(at - begin - awake));
            while (now_ns() < at) pause_cpu();
            begin = at;
        }
        step();
        const int64_t end = now_ns();
        took.push_back(end - begin);
        for (due++; beat > 0 && end > at + beat; due++, missed++) at += beat;
    }
    const int64_t wall = now_ns() - start;
    const step_use after;
    bench.check();
    auto spent = [](int64_t from, int64_t to) { return to < 0 ? -1 : std::max<int64_t>(0, to - from); };
    answer all{missed, due, wall, spent(before.cpu, after.cpu), spent(before.switches, after.switches), spent(before.waited, after.waited)};
    all.insert(all.end(), took.begin(), took.end());
    return all;
}

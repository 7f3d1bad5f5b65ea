// A task graph by its edges, from a file that the Go program wrote, and tasks that compute and
// look whether their inputs are what their predecessors have left.
#pragma once

#include "harness.h"

#include <cstdio>

struct shape {
    struct point {
        uint32_t step = 0, index = 0;
    };
    std::vector<point> at;
    std::vector<std::vector<uint32_t>> preds;

    explicit shape(const std::string &path) {
        std::unique_ptr<FILE, int (*)(FILE *)> file(fopen(path.c_str(), "rb"), fclose);
        require(file != nullptr, "cannot open " + path);
        auto next = [&] {
            unsigned char b[4];
            require(fread(b, 1, 4, file.get()) == 4, path + " is too short");
            return uint32_t(b[0]) | uint32_t(b[1]) << 8 | uint32_t(b[2]) << 16 | uint32_t(b[3]) << 24;
        };
        const uint32_t n = next();
        at.resize(n);
        preds.resize(n);
        for (uint32_t i = 0; i < n; i++) {
            at[i].step = next();
            at[i].index = next();
            preds[i].resize(next());
            for (uint32_t &p : preds[i]) p = next();
        }
    }
    size_t size() const { return preds.size(); }
};

// So many rounds, each of which needs the one before. After Marsaglia, "Xorshift RNGs", 2003.
inline uint64_t kernel(int64_t rounds) {
    uint64_t x = 0x9e3779b97f4a7c15;
    for (int64_t r = 0; r < rounds; r++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    return x;
}

class task_bench {
    struct alignas(64) cell {
        shape::point at{~0u, ~0u};
        uint32_t runs = 0;
        uint64_t result = 0;
    };
    const shape &graph;
    std::vector<cell> cells;
    std::atomic<int64_t> wrong{0};

  public:
    uint32_t run = 0;
    int64_t rounds = 0;
    std::vector<int64_t> each; // instead, if there are any

    explicit task_bench(const shape &g) : graph(g), cells(g.size()) {}
    void execute(uint32_t i) {
        for (uint32_t p : graph.preds[i]) {
            const cell &in = cells[p];
            if (in.runs != run || in.at.step != graph.at[p].step || in.at.index != graph.at[p].index) wrong++;
        }
        cell &out = cells[i];
        out.result = kernel(each.empty() ? rounds : each[i]);
        out.at = graph.at[i];
        out.runs++;
    }
    void check() const {
        for (const cell &c : cells) require(c.runs == run, "a task did not run once in each run");
        require(wrong.load() == 0, "an input was missing or wrong");
        for (size_t i = 0; i < each.size(); i++) require(cells[i].result == kernel(each[i]), "a task left a wrong result");
    }
};

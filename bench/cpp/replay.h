// Frames that were recorded, replayed: the same rounds of the kernel and the same memory as in Go.
#pragma once

#include "shapes.h"

#include <fstream>

inline uint64_t kernel_from(uint64_t x, int64_t rounds) {
    for (int64_t r = 0; r < rounds; r++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    return x;
}

class replay {
  public:
    struct alignas(64) piece_of {
        int64_t rounds = 0;
        std::vector<uint64_t> mem;
        const std::vector<uint64_t> *fed = nullptr;
        int by = 0;
        uint32_t runs = 0;
    };
    struct step_of {
        std::vector<int> after;
        int source = -1, to = -1, grain = 1;
        int64_t urgency = 0;
        std::vector<piece_of> pieces;
        std::vector<std::vector<int>> feeds; // of each piece: pieces of to
        uint32_t ended = 0;
    };
    std::vector<step_of> steps;
    uint32_t run = 0;

    // Reads what the Go program wrote.
    explicit replay(const std::string &path) {
        std::ifstream in(path);
        size_t n = 0;
        require(bool(in >> n), "cannot read " + path);
        steps.resize(n);
        for (size_t i = 0; i < n; i++) {
            step_of &s = steps[i];
            size_t after = 0, pieces = 0;
            in >> after;
            s.after.resize(after);
            for (int &k : s.after) in >> k;
            in >> s.source >> s.grain >> s.urgency >> pieces;
            s.pieces = std::vector<piece_of>(pieces);
            for (piece_of &p : s.pieces) {
                size_t words = 0;
                in >> p.rounds >> words >> p.by;
                p.mem.resize(words);
                if (s.source >= 0) p.fed = &steps[size_t(s.source)].pieces[size_t(p.by)].mem;
            }
            if (s.source >= 0) {
                step_of &source = steps[size_t(s.source)];
                source.to = int(i);
                source.feeds.resize(source.pieces.size());
                for (size_t k = 0; k < pieces; k++) source.feeds[size_t(s.pieces[k].by)].push_back(int(k));
            }
        }
        require(bool(in), path + " is too short");
    }
    void piece(int i, int k) {
        step_of &s = steps[size_t(i)];
        piece_of &p = s.pieces[size_t(k)];
        if (s.source >= 0) {
            if (steps[size_t(s.source)].pieces[size_t(p.by)].runs != run) wrong++;
        } else {
            for (int b : s.after)
                if (steps[size_t(b)].ended != run) wrong++;
        }
        compute(p);
        p.runs++;
    }
    // The pieces that a piece of a step feeds, on the thread that has done it.
    void fed(int i, int k) {
        const step_of &s = steps[size_t(i)];
        if (s.to >= 0)
            for (int n : s.feeds[size_t(k)]) piece(s.to, n);
    }
    void end(int i) {
        step_of &s = steps[size_t(i)];
        for (const piece_of &p : s.pieces)
            if (p.runs != run) wrong++;
        for (int b : s.after)
            if (steps[size_t(b)].ended != run) wrong++;
        s.ended = run;
    }
    void serial() {
        for (int i = 0; i < int(steps.size()); i++) {
            for (int k = 0; k < int(steps[size_t(i)].pieces.size()); k++) piece(i, k);
            end(i);
        }
    }
    void check() const {
        require(wrong.load() == 0, "something ran that was not to run yet, or not again");
        for (const step_of &s : steps) {
            require(s.ended == run, "a step did not run once in each frame");
            for (const piece_of &p : s.pieces) require(p.runs == run, "a piece did not run once in each frame");
        }
    }
    void clear() {
        for (step_of &s : steps)
            for (piece_of &p : s.pieces) std::fill(p.mem.begin(), p.mem.end(), 0);
    }
    uint64_t sum() const {
        uint64_t sum = 0;
        for (const step_of &s : steps)
            for (const piece_of &p : s.pieces)
                for (size_t at = 0; at < p.mem.size(); at += line) sum = (sum ^ p.mem[at]) * 0x100000001b3;
        return sum;
    }

  private:
    static constexpr size_t line = 8; // words
    std::atomic<int64_t> wrong{0};

    static void compute(piece_of &p) {
        uint64_t x = 0x9e3779b97f4a7c15;
        if (p.fed != nullptr)
            for (size_t at = 0; at < p.fed->size(); at += line) x ^= (*p.fed)[at];
        const int64_t lines = p.mem.empty() ? 1 : int64_t(p.mem.size() / line);
        const int64_t each = p.rounds / lines, more = p.rounds % lines;
        for (size_t at = 0; at < p.mem.size(); at += line) {
            x = kernel_from((x ^ p.mem[at]) | 1, each + (int64_t(at / line) < more));
            p.mem[at] = x;
        }
        if (p.mem.empty()) x = kernel_from(x | 1, p.rounds);
        require(x != 0, "the kernel has no zero");
    }
};

// Plays frames back to back for about turn nanoseconds, after three that warm up, and compares what
// some leave in empty memory with what they leave in Go. The answer is the nanoseconds of each.
template <class Run> answer measure_frames(const job_args &a, replay &f, Run run) {
    const int64_t turn = a.number("turn"), most = a.number("most");
    auto frame = [&] {
        f.run++;
        run();
    };
    for (int i = 0; i < 3; i++) frame();
    answer took;
    for (const int64_t start = now_ns(); int64_t(took.size()) < most && (took.empty() || now_ns() - start < turn);) took.push_back(timed(frame));
    f.check();
    f.clear();
    for (int64_t i = a.number("checked"); i > 0; i--) frame();
    f.check();
    require(f.sum() == uint64_t(a.number("want")), "the memory is not what it is in Go");
    return took;
}

// What the C++ programs share: they read one job a line, "name key=value ...", run it, check
// what came out, and answer with one line: "ok" and numbers, mostly the nanoseconds of each
// pass, or "error" and a reason. Between jobs they sleep in read.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
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

// The keys of a job.
class job_args {
    std::map<std::string, std::string> all;

  public:
    void set(const std::string &key, const std::string &value) { all[key] = value; }
    const std::string &text(const std::string &key) const {
        auto found = all.find(key);
        if (found == all.end()) throw std::runtime_error("the job lacks " + key);
        return found->second;
    }
    int64_t number(const std::string &key) const { return std::stoll(text(key)); }
};

using answer = std::vector<int64_t>;
using job = std::function<answer(const job_args &)>;
using jobs = std::map<std::string, job>;

inline void require(bool holds, const std::string &what) {
    if (!holds) throw std::runtime_error(what);
}

// Warms up with one pass, and then repeats it for about turn nanoseconds, at least once. A pass
// returns how long it took.
template <class Pass> answer repeat_timed(int64_t turn, Pass pass) {
    pass();
    answer took;
    for (int64_t total = 0; took.empty() || (total < turn && took.size() < 1 << 14);) {
        took.push_back(pass());
        total += took.back();
    }
    return took;
}

template <class Pass> int64_t timed(Pass pass) {
    const int64_t start = now_ns();
    pass();
    return now_ns() - start;
}

template <class Pass> answer repeat(int64_t turn, Pass pass) {
    return repeat_timed(turn, [&] { return timed(pass); });
}

inline int serve(const jobs &all) {
    std::string line;
    while (std::getline(std::cin, line)) {
        std::istringstream words(line);
        std::string name, word;
        words >> name;
        job_args args;
        while (words >> word) {
            const size_t at = word.find('=');
            if (at != std::string::npos) args.set(word.substr(0, at), word.substr(at + 1));
        }
        try {
            auto found = all.find(name);
            require(found != all.end(), "no such job");
            const answer numbers = found->second(args);
            std::cout << "ok";
            for (int64_t v : numbers) std::cout << ' ' << v;
            std::cout << std::endl;
        } catch (const std::exception &e) {
            std::cout << "error " << e.what() << std::endl;
        }
    }
    return 0;
}

// What docs/migration-native.md shows of oneTBB.
#include <cassert>
#include <numeric>
#include <tbb/blocked_range.h>
#include <tbb/flow_graph.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <vector>

static int fib(int n) {
	if (n < 2)
		return n;
	int left, right;
	tbb::task_group g;
	g.run([&] { left = fib(n - 1); });
	right = fib(n - 2);
	g.wait();
	return left + right;
}

int main() {
	assert(fib(20) == 6765);

	std::vector<long> v(1000);
	tbb::parallel_for(tbb::blocked_range<size_t>(0, v.size()), [&](auto &r) {
		for (size_t i = r.begin(); i < r.end(); i++)
			v[i] = i * i;
	});
	long sum = tbb::parallel_reduce(
	    tbb::blocked_range<size_t>(0, v.size()), 0L,
	    [&](auto &r, long s) { return std::accumulate(&v[r.begin()], &v[r.end()], s); },
	    std::plus<long>());
	assert(sum == 332833500);

	tbb::flow::graph g;
	int woven = 0;
	using node = tbb::flow::continue_node<tbb::flow::continue_msg>;
	node warp(g, [&](const tbb::flow::continue_msg &) { woven = 1; });
	node weft(g, [&](const tbb::flow::continue_msg &) { woven *= 2; });
	tbb::flow::make_edge(warp, weft);
	warp.try_put(tbb::flow::continue_msg());
	g.wait_for_all();
	assert(woven == 2);

	tbb::task_arena background(1, 0, tbb::task_arena::priority::low);
	background.execute([&] { tbb::this_task_arena::isolate([&] { woven = fib(10); }); });
	assert(woven == 55);
}

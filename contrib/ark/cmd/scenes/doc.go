// Scenes runs the usual benchmark scenes of entity component systems, as in go-ecs-benchmarks and
// ecs_bench_suite, in four ways and by turns, and prints how long a frame takes in each: by Ark one
// system after the other, by Ark with a goroutine of an errgroup for each system that depends on
// none that runs, by a [ark.Schedule] with one worker's order (Options.Serial), and by a Schedule.
// The four worlds must be equal in the end; if they are not the exit status is 1.
//
//	go -C contrib/ark run ./cmd/scenes                       # 1,000 and 100,000 entities
//	go -C contrib/ark run ./cmd/scenes -n 1000,100000 -for 50ms -rounds 5
package main

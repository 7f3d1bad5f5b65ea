// Command bench measures what a job of package farm costs, beside plain NATS requests and Asynq on
// Redis with the same jobs, and how a build of package assets/build scales with worker processes.
//
//	go -C bench/farm run . -what calls    # round trips, one after the other
//	go -C bench/farm run . -what rate     # jobs a second by worker processes
//	go -C bench/farm run . -what size     # time for a job by its size
//	go -C bench/farm run . -what build    # assets/build by worker processes
//
// Each table is of Markdown. All systems have a turn in each round, and a figure is the median of
// the rounds. Everything listens on the loopback interface, in directories that are removed;
// numbers of jobs and of processes are bounded, and the whole ends after -for at the latest.
// Workers are processes of this program, which end when their standard input does.
//
// Asynq needs the program redis-server, which Debian has; without it there is no row for it, unless
// the variable REDIS_NEEDED is set: then it is an error.
//
// The exit status is 0 if all is well, 1 if something failed, 2 if the command line cannot be
// understood.
package main

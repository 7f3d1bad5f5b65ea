// Command synth is a synthesizer. It plays Pachelbel's canon with a choir of voices, choruses,
// echoes and a hall, by the clock of a sound card. Every 1.333 ms there is a beat, at which the
// card asks for a block of 64 samples. The block must be ready by the next beat. Three versions
// take turns: one thread, a hand-written pool of goroutines, and Heddle. They must compute the same
// samples, bit for bit.
//
//	go -C examples run ./synth              # how many voices does each version sustain?
//	go -C examples run ./synth -voices 300  # how does each version do with 300 voices?
//	go -C examples run ./synth -o tune.wav  # the tune, in examples/tune.wav
//
// Without flags, synth first measures single blocks on one thread. It chooses the number of voices
// that keeps one thread busy for two thirds of the time between two beats. With that many voices a
// block is worth dividing, and one thread can still keep up. If one thread does not keep up with
// the beats, synth lowers the number, at most a few times. Each version plays these voices for two
// seconds. Then synth searches for the number of voices that each version sustains. All of this
// takes less than half a minute.
//
// The search gives each version 14 trials of half a second, and the versions take turns, so that
// other programs on the machine disturb all of them alike. A version keeps up in a trial if it
// misses at most 5 % of the blocks (-misses). On an idle machine a smaller share gives nearly the
// same result, because a version that has too many voices soon misses all blocks. On a busy machine
// every version misses some blocks. After a trial in which the version kept up, its next trial has
// more voices, otherwise fewer. The result is the number of voices that fits all trials best. On an
// idle machine, -misses 0 and -trial 30s make the search strict. It then takes about 20 minutes.
//
// The table says for each version
//
//   - within what time after the beat half of the blocks were ready (p50), and 99 of 100 (p99);
//   - how many blocks it missed: blocks that were late, blocks whose background work was late, and
//     beats that were skipped because blocks were very late;
//   - how many processors the process kept busy meanwhile (CPU);
//   - how many voices it sustains.
//
// Then synth says in which of these figures a version is worse than one thread, and what to
// conclude. If one thread missed more blocks than -misses allows although it had time to spare,
// synth says that the machine was busy with other programs, and concludes nothing.
//
// What to look for in the source:
//
//   - Package orchestra lists the nodes of a block and their order. All versions run that list.
//     heddle.go builds a [taskgraph.Graph] from it, once, and runs the graph for each block.
//   - A hall is heard for two seconds. Its whole response takes too long to compute within a block,
//     so a block computes only the beginning of it. The rest is a second graph in the background:
//     it works on chunks of 16 blocks, and its result is due 16 blocks later. See convolver.go in
//     package dsp.
//   - The hall's response to earlier blocks does not need the current block, and so runs beside the
//     voices.
//   - A named thread of a high priority plays the blocks. It takes part in the work
//     (System.RunGraph). Then it sleeps until the next beat, at which the workers are awake too
//     (System.SleepUntil).
//   - A node reads the data of another node only if the graph runs it after that node, and sums are
//     made in a fixed order. So the program needs no locks, and computes the same bits with any
//     number of workers.
//
// The exit status is 0 if all is well; 1 after bad input, or if the versions differ; 2 if the
// command line cannot be understood. Missed blocks are a figure, not a failure.
package main

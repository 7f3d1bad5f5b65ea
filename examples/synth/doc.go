// Command synth is a synthesizer: it plays Pachelbel's canon with a choir of voices, choruses,
// echoes and a hall, writes it to a WAV file, and then plays it against a clock, as a sound card
// would ask for it: a block of 64 frames each 1.333 ms, which must be ready when the next one
// begins. That in three versions, which play by turns and must make the same samples, bit for bit:
// the nodes of the graph one after the other, a pool of goroutines with counters as one would write
// it by hand, and Heddle.
//
//	go -C examples run ./synth                # examples/tune.wav, and two seconds of each version
//	go -C examples run ./synth -voices 300    # each note by more voices
//	go -C examples run ./synth -voices until  # how many for 30 s without a missed block, in each?
//
// The last one wants a machine that does nothing else, or -misses, and takes some minutes.
//
// What to look for in the source:
//
//   - Package orchestra says what there is to do in a block, as a list of nodes and what comes
//     before what; all versions run that list. heddle.go makes a [taskgraph.Graph] of it, once, and
//     runs that for each block.
//   - A hall is heard for two seconds, and to compute that within each block would take too long.
//     So only the beginning of its response is computed in the block. The rest is a second graph,
//     in the background: it works on chunks of 16 blocks, and its result is due when the next 16
//     blocks have been played. See convolver.go in package dsp.
//   - What the hall makes of earlier blocks needs nothing of this one, and runs beside the voices.
//   - Blocks are played by a named thread of a high priority, which computes them as one of the
//     workers (System.RunGraph) and sleeps until the next beat such that the workers are awake
//     then, too (System.SleepUntil).
//   - Nodes share nothing but by the order of the graph, and sums are made in a fixed order: no
//     locks, and the same bits for any number of workers.
//
// The table says how long after its beat a block was ready, how many were missed (those that came
// late, and those for which the background was late), and how much of a processor the process used
// meanwhile.
//
// The exit status is 0 if all is well; 1 after bad input, or if the versions differ; 2 if the
// command line cannot be understood. Missed blocks are a figure, not a failure.
package main

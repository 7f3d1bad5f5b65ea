// Command slow runs small programs that are slow for one reason each, and says what a profile of
// them shows: the five cases of docs/observability.md.
//
//	go -C examples run ./slow -case late-wake
//	go -C examples run ./slow -case late-wake -mended
//	go -C examples run ./slow -case long-task -lanes lanes.svg -graph graph.svg -trace run.json
//
// What to look for in the source: each case is one function, which does the same work in its slow
// and in its mended form, and a test says by what facts of the profile the cause is known.
package main

// Command slow runs five small programs, each slow for one reason, and the same programs mended. It
// prints what the mending gained. The five are the cases of docs/observability.md. With -case it
// runs one case, slow or with -mended, prints its profile, and says what the profile shows.
//
//	go -C examples run ./slow
//	go -C examples run ./slow -case late-wake
//	go -C examples run ./slow -case late-wake -mended
//	go -C examples run ./slow -case long-task -lanes lanes.svg -graph graph.svg -trace run.json
//
// In the source, each case is one function, which does the same work in its slow and in its mended
// form. A test checks that the profile shows the cause.
//
// The exit status is 0 if the programs ran, 1 after bad input, and 2 if the command line cannot be
// understood.
package main

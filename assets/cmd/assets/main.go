package main

import (
	"flag"
	"fmt"
	"strings"

	"github.com/heddle-go/heddle/internal/dev/cli"
)

func main() { program().Main() }

// program is the command without its process.
func program() *cli.Set {
	return &cli.Set{
		Name: "assets",
		About: "Looks after trees of resources that depend on each other: pictures, models, sounds,\n" +
			"fonts and manifests. To try it on a tree that it makes:\n\n" +
			"  assets generate DIR\n  assets compare DIR",
		Commands: []*cli.Command{indexer(), loader(), comparer(), grapher(), verifier(), server(),
			watcher(), generator(), builder(), worker()},
	}
}

// registryFlag adds the flag of commands that read or write a registry.
func registryFlag(fs *flag.FlagSet, to *string) {
	fs.StringVar(to, "registry", "", "the `FILE` of the index (default "+registryName+" in the "+
		"directory)")
}

// workersFlag adds the flag of commands that load.
func workersFlag(fs *flag.FlagSet, to *int) {
	fs.IntVar(to, "workers", 0, fmt.Sprintf("number of workers, 1 to %d (default: one for "+
		"each processor)", maxWorkers))
}

// checkWorkers reports a number of workers out of range, if one was given.
func checkWorkers(call *cli.Call, n int) error {
	if call.Given["workers"] && (n < 1 || n > maxWorkers) {
		return fmt.Errorf("-workers %d: want 1 to %d", n, maxWorkers)
	}
	return nil
}

// oneLine returns the text of an error in one line, without the name of the package.
func oneLine(err error) string {
	text := strings.TrimPrefix(err.Error(), "assets: ")
	return strings.Join(strings.Fields(text), " ")
}

// The command heddlevet reports common mistakes in programs that use Heddle. Given packages, it has
// the go command call it for each of them:
//
//	heddlevet ./...
//	go vet -vettool=$(which heddlevet) ./...   # the same
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/heddle-go/heddle/contrib/heddlevet"
)

func main() {
	switch args := os.Args[1:]; {
	case len(args) == 0:
		fmt.Fprintln(os.Stderr, "heddlevet: want packages, for example ./... "+
			"(heddlevet help lists what it finds)")
		os.Exit(2)
	case packages(args):
		os.Exit(vet(args, os.Stdout, os.Stderr))
	}
	unitchecker.Main(heddlevet.Analyzers()...)
}

// packages tells whether arguments are those of a person, who names packages. The go command asks
// for the version or the flags, or names a file of settings; help is for unitchecker.
func packages(args []string) bool {
	last := args[len(args)-1]
	return args[0] != "help" && !strings.HasSuffix(last, ".cfg") &&
		slices.ContainsFunc(args, func(arg string) bool { return !strings.HasPrefix(arg, "-") })
}

// vet has the go command vet packages with this program, and returns the exit status.
func vet(args []string, stdout, stderr io.Writer) int {
	self, err := os.Executable()
	if err == nil {
		cmd := exec.Command("go", append([]string{"vet", "-vettool=" + self}, args...)...)
		cmd.Stdout, cmd.Stderr = stdout, stderr
		err = cmd.Run()
	}
	var failed *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &failed):
		return failed.ExitCode() // the go command has said why
	}
	fmt.Fprintln(stderr, "heddlevet:", err)
	return 1
}

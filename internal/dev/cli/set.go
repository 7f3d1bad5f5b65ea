package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A Set is a program of several commands: its first argument says which, the rest is that one's.
type Set struct {
	Name     string
	About    string     // what -h says beneath the first line, some lines
	Commands []*Command // the Name of each is that of the Set, a space and a word
}

// Main runs the set as the process, as [Command.Main] does a command.
func (s *Set) Main() { asProcess(s.Run) }

// Run runs a command of the set as [Command.Run] does.
func (s *Set) Run(ctx context.Context, args []string, stdout, stderr io.Writer) (status int) {
	word := ""
	if len(args) > 0 {
		word = args[0]
	}
	if slices.Contains([]string{"-h", "-help", "--help", "help"}, word) {
		s.help(stderr)
		return OK
	}
	for _, c := range s.Commands {
		if c.Name == s.Name+" "+word {
			return c.Run(ctx, args[1:], stdout, stderr)
		}
	}
	wrong := fmt.Sprintf("no command %q", word)
	if word == "" || strings.HasPrefix(word, "-") {
		wrong = "want a command first"
	}
	fmt.Fprintf(stderr, "%s: %s (-h lists them)\n", s.Name, wrong)
	return Usage
}

// help is what -h says.
func (s *Set) help(w io.Writer) {
	fmt.Fprintf(w, "usage: %s COMMAND [flags]\n\n%s\n\n", s.Name, s.About)
	for _, c := range s.Commands {
		fmt.Fprintln(w, "  "+c.usage())
	}
	fmt.Fprintf(w, "\nEach has -progress and -json; -h behind it lists its flags.\n")
}

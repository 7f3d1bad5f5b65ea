package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/heddle-go/heddle/internal/dev/cli"
)

const module = "github.com/heddle-go/heddle"

type options struct {
	list  bool
	only  *regexp.Regexp
	state string
	dir   string
	piece time.Duration
	limit time.Duration
	while time.Duration
}

func main() {
	var o options
	(&cli.Command{
		Name: "commands", Usage: "go -C internal/dev/archtest run ./commands [flags]",
		About: "Runs every command that a page or a comment prints, once, in a fresh clone of HEAD.",
		Unit:  "command",
		Flags: func(f *flag.FlagSet) {
			f.BoolVar(&o.list, "list", false,
				"run nothing: list what runs, and what does not and why")
			cli.RegexpVar(f, &o.only, "only", "run the commands that match this `regexp`")
			f.StringVar(&o.state, "state", "",
				"keep in this `file` what has passed, and do not run that again")
			f.StringVar(&o.dir, "dir", "",
				"keep the clone in this `folder`; use it as it is if it is there")
			f.DurationVar(&o.piece, "piece", 0, "begin no command after this time")
			f.DurationVar(&o.limit, "limit", 10*time.Minute, "how long one command may take")
			f.DurationVar(&o.while, "while", 30*time.Second,
				"how long a command works that is then interrupted")
		},
		Work: o.work,
	}).Main()
}

func (o *options) work(ctx context.Context, call *cli.Call) error {
	if o.limit < time.Second || o.while < time.Second || o.piece < 0 {
		return errors.New("-limit and -while must be at least 1s, and -piece not negative")
	}
	root, err := cli.ModuleRoot(module)
	if err != nil {
		return err
	}
	if o.list {
		p, err := planned(root)
		if err == nil {
			p.print(call.Text)
		}
		return err
	}
	temp, err := os.MkdirTemp("", "commands")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	if o.dir == "" {
		o.dir = filepath.Join(temp, "heddle")
	}
	if _, err := os.Stat(o.dir); err != nil {
		cmd := cli.Process(ctx, "git", "clone", "-q", root, o.dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git clone: %w: %s", err, out)
		}
	}
	p, err := planned(o.dir)
	if err != nil {
		return err
	}
	return o.runAll(ctx, call, p, temp)
}

func (o *options) runAll(ctx context.Context, call *cli.Call, p plan, temp string) error {
	passed, _ := os.ReadFile(o.state) // none yet
	failed, did, began := 0, map[string]bool{}, time.Now()
	for i, r := range p.run {
		if o.only != nil && !o.only.MatchString(r.text) || did[r.line] ||
			bytes.Contains(passed, []byte("\n"+r.text+"\n")) {
			continue
		}
		if o.piece > 0 && time.Since(began) > o.piece {
			return errors.New("-piece has passed, and commands are left: call this again")
		}
		call.Progress.At(r.text, i, len(p.run))
		start := time.Now()
		out, err := o.run(ctx, r, temp)
		call.Progress.Clear()
		if ctx.Err() != nil {
			return cli.ErrInterrupted
		}
		took := time.Since(start).Round(100 * time.Millisecond)
		did[r.line] = true
		if err != nil {
			failed++
			fmt.Fprintf(call.Text, "FAILED %v %s\n  %s\n  ran as: %s\n  %v\n%s\n",
				took, r.text, r.at, r.line, err, out)
			continue
		}
		fmt.Fprintf(call.Text, "passed %v %s\n", took, r.text)
		if o.state != "" {
			passed = fmt.Appendf(passed, "\n%s\n", r.text)
			if err := os.WriteFile(o.state, passed, 0o666); err != nil {
				return err
			}
		}
	}
	fmt.Fprintf(call.Text,
		"%d commands ran in %v, %d failed; %d are steps of .ci/run, %d cannot run\n",
		len(did), time.Since(began).Round(time.Second), failed, len(p.steps), len(p.not))
	if failed > 0 {
		return cli.ErrFailed
	}
	return nil
}

// planned reads the pages of a clone.
func planned(dir string) (plan, error) {
	files := os.DirFS(dir)
	all, err := extract(files)
	if err != nil {
		return plan{}, err
	}
	t, err := newTree(files)
	if err != nil {
		return plan{}, err
	}
	script, err := os.ReadFile(filepath.Join(dir, ".ci", "run"))
	if err != nil {
		return plan{}, err
	}
	p, wrong := newPlan(t, all, table, string(script))
	if len(wrong) > 0 {
		return plan{}, errors.New(strings.Join(wrong, "\n"))
	}
	return p, nil
}

// failure matches what a command prints that fails and continues.
var failure = regexp.MustCompile(`(?m)^(--- FAIL|FAIL|panic: )`)

// run runs one command, and returns the end of what it printed.
func (o *options) run(ctx context.Context, r run, temp string) (tail string, err error) {
	limit := o.limit
	if r.interrupt {
		limit = o.while
	}
	// It interrupts all processes that the shell starts, and kills them if they do not end.
	cmd := cli.Process(ctx, "timeout", "-s", "INT", "-k", "30s", fmt.Sprint(limit.Seconds()),
		"bash", "-o", "pipefail", "-ec", r.line)
	cmd.Dir = o.dir
	cmd.Env = append(os.Environ(), "T="+temp, "MAKEFLAGS=", "MAKELEVEL=")
	out, err := cmd.CombinedOutput()
	if r.interrupt && cmd.ProcessState.ExitCode() == 124 && !failure.Match(out) {
		err = nil
	}
	return string(out[max(0, len(out)-3000):]), err
}

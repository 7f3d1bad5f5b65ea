package modelcheck

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/heddle-go/heddle/internal/modelcheck"
)

// Timers says when the time limit of a wait may come.
type Timers = modelcheck.Timers

const (
	// TimersNever: no time limit ever comes, so that a lost wake-up cannot hide behind one.
	TimersNever = modelcheck.TimersNever

	// TimersOnTime: the earliest time limit comes when no thread can move.
	TimersOnTime = modelcheck.TimersOnTime

	// TimersEarly: a time limit may come at any moment.
	TimersEarly = modelcheck.TimersEarly
)

// Options say how a program is explored. The zero value is the default.
type Options struct {
	// Name is what is checked, for reports.
	Name string

	// Explorers are tried one after the other. Default: Portfolio(20000).
	Explorers []Explorer

	// Timers says when time limits come. Default: TimersNever.
	Timers Timers

	// Tick is by how much, in nanoseconds, a look at the clock is later than the last one of the
	// same thread. A loop that spins for so long ends by its second look. Default: 1.
	Tick int64

	// LockFree also suspends each thread for ever after each of its steps: the others must
	// come to their end. A spin lock in disguise fails it.
	LockFree bool

	// Steps is the length at which an execution counts as endless. Default: 5000.
	Steps int

	// Seed is where random explorers begin. Default: 1, or the environment's
	// MODELCHECK_SEED.
	Seed uint64

	// Schedule, if it is not empty, is the one schedule to run, as a failure reports it.
	// Default: the environment's MODELCHECK_SCHEDULE.
	Schedule string

	// Draw, if it is not empty, is a folder into which a failure is drawn: an SVG file that has
	// the Name, and replaces the one of that Name. Default: the environment's MODELCHECK_DRAW.
	Draw string
}

func (o Options) withDefaults() (Options, error) {
	if !Enabled {
		return o,
			errors.New("modelcheck: built without the tag modelcheck; build with -tags modelcheck")
	}
	if o.Explorers == nil {
		o.Explorers = Portfolio(20000)
	}
	if o.Seed == 0 {
		seed, err := number("MODELCHECK_SEED", 1)
		if err != nil {
			return o, err
		}
		o.Seed = uint64(seed)
	}
	if o.Schedule == "" {
		o.Schedule = os.Getenv("MODELCHECK_SCHEDULE")
	}
	if o.Draw == "" {
		o.Draw = os.Getenv("MODELCHECK_DRAW")
	}
	return o, nil
}

// Scaled returns a number of executions: otherwise, or what the environment's
// MODELCHECK_EXECUTIONS says.
func Scaled(otherwise int) int {
	n, err := number("MODELCHECK_EXECUTIONS", otherwise)
	if err != nil {
		panic(err)
	}
	return n
}

// number returns a number from the environment.
func number(key string, otherwise int) (int, error) {
	text := os.Getenv(key)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("modelcheck: %s=%q is not a number from 0 on", key, text)
	}
	return n, nil
}

// shard returns the part of the programs that this process takes, i of n, from
// MODELCHECK_SHARD=i/n.
func shard() (i, n int, err error) {
	text := os.Getenv("MODELCHECK_SHARD")
	if text == "" {
		return 0, 1, nil
	}
	a, b, ok := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(a)
	n, err2 := strconv.Atoi(b)
	if !ok || err1 != nil || err2 != nil || i < 0 || i >= n {
		return 0, 1, fmt.Errorf("modelcheck: MODELCHECK_SHARD=%q is not i/n with i below n", text)
	}
	return i, n, nil
}

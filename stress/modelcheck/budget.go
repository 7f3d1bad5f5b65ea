package modelcheck

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"testing"

	"github.com/heddle-go/heddle/internal/modelcheck"
)

// Budget says how much Programs explores.
type Budget struct {
	// Programs is the number of programs; it is exceeded if they have too few executions.
	// Default: 40, or the environment's MODELCHECK_PROGRAMS.
	Programs int

	// Executions bounds the number of executions of all of them, roughly. Default: 60,000, or
	// the environment's MODELCHECK_EXECUTIONS.
	Executions int
}

// Share returns the part of the default budget that one of n calls of Programs has, so that the
// variants of a structure are explored together as much as a structure without any. It panics if n
// is not positive, or if the environment's numbers are none.
func Share(n int) Budget {
	if n < 1 {
		panic(fmt.Sprintf("modelcheck: Share(%d)", n))
	}
	programs, err := number("MODELCHECK_PROGRAMS", defaultPrograms)
	if err != nil {
		panic(err)
	}
	part := func(all int) int { return max((all+n-1)/n, 1) }
	return Budget{Programs: part(programs), Executions: part(Scaled(defaultExecutions))}
}

// Programs makes programs of a structure's operations, explores the executions of each, and
// fails the test if the history of one is wrong, or as Check does. What is said of Check's
// programs holds for the operations.
//
// In o, Explorers and LockFree are ignored. In the environment, MODELCHECK_SHARD=i/n leaves to
// this process each n-th program, and MODELCHECK_PROGRAM selects one.
func Programs[S any](t testing.TB, s Structure[S], b Budget, o Options) Tally {
	t.Helper()
	if o.Name == "" {
		o.Name = t.Name()
	}
	tally, err := s.explore(b, o)
	t.Log(s.Name, tally)
	if err != nil {
		t.Fatal(err)
	}
	return tally
}

const (
	defaultPrograms   = 40
	defaultExecutions = 60_000

	moreAtMost = 30  // times Budget.Programs
	growth     = 240 // programs, after which they have one more operation a thread
	most       = 16  // operations in all
)

func (s *Structure[S]) explore(b Budget, o Options) (Tally, error) {
	none := Tally{Bound: -1}
	o, err := o.withDefaults()
	if err != nil {
		return none, err
	}
	o.LockFree = s.LockFree
	if b.Programs == 0 {
		if b.Programs, err = number("MODELCHECK_PROGRAMS", defaultPrograms); err != nil {
			return none, err
		}
	}
	if b.Executions == 0 {
		if b.Executions, err = number("MODELCHECK_EXECUTIONS", defaultExecutions); err != nil {
			return none, err
		}
	}
	part, of, err := shard()
	if err != nil {
		return none, err
	}
	only, err := number("MODELCHECK_PROGRAM", -1)
	if err != nil {
		return none, err
	}
	h := fnv.New64a()
	h.Write([]byte(o.Name))
	nameHash := h.Sum64() &^ (1<<32 - 1)
	judge := s.Judge()
	r := newRun(o, s.Name)
	each := max(b.Executions/b.Programs, 8)
	r.share = max(each/100, 10)
	for i := range b.Programs * moreAtMost {
		if i%of != part {
			continue
		}
		if only >= 0 {
			if i != only {
				continue
			}
		} else if i >= b.Programs && r.tally.Executions >= b.Executions/of {
			break
		}
		sh := shapes[i%len(shapes)]
		sh.ops = min(sh.ops+i/growth, most/sh.threads)
		p := s.generate(rand.New(rand.NewPCG(o.Seed, uint64(i)^nameHash)), sh)
		r.o.Explorers = sh.explorers(each)
		if err := r.program(i, s.text(p),
			func(e *modelcheck.Engine) func() { return s.body(e, p, judge) }); err != nil {
			return r.finish(err)
		}
	}
	return r.finish(nil)
}

package modelcheck

import (
	"math/rand/v2"
	"testing"
)

func in(do verb, word uint8, a, b uint32) instruction {
	return instruction{do: do, word: word, a: a, b: b}
}

// operation marks instructions as one operation of a history.
func operation(th ...instruction) []instruction {
	th[0].first, th[len(th)-1].last = true, true
	return th
}

func sequence(parts ...[]instruction) (th []instruction) {
	for _, p := range parts {
		th = append(th, p...)
	}
	return th
}

func plainly(th ...instruction) []instruction { return th }

// pinned are programs that a reduction has been seen to lose outcomes of, though it did well on
// thousands of random ones.
var pinned = map[string]*program{
	"a wake takes the chance to give up": {roots: 3, spin: 1, timers: TimersEarly,
		threads: [][]instruction{
			sequence(operation(in(doStart, 0, 3, 0)), plainly(in(doWake, 0, 2, 0))),
			nil,
			operation(in(doWaitLimit, 0, 0, 0)),
			nil,
		}},
	"an operation that is complete only after its last step": {roots: 2, spin: 1,
		threads: [][]instruction{
			plainly(in(doStart, 0, 2, 0), in(doCAS, 1, 0, 1), in(doAdd, 0, 2, 0)),
			operation(in(doOr, 2, 0, 2)),
			operation(in(doSwap, 1, 0, 1), in(doCAS, 0, 0, 1)),
		}},
	"a step that ends an operation if it goes before": {roots: 2, spin: 1, threads: [][]instruction{
		operation(in(doWake, 0, 0, 1), in(doWait, 0, 1, 1)),
		plainly(in(doStart, 0, 2, 0), in(doStore, 0, 1, 1)),
		operation(in(doWake, 1, 0, 1)),
	}},
	"the same, and the other operation comes later": {roots: 2, spin: 1, threads: [][]instruction{
		operation(in(doAdd, 0, 1, 0), in(doWait, 1, 1, 1)),
		plainly(in(doStart, 0, 2, 0), in(doStore, 1, 1, 0)),
		operation(in(doOr, 0, 0, 0)),
	}},
	"the same, with three threads from the set-up": {roots: 3, spin: 1, threads: [][]instruction{
		operation(in(doLoad, 2, 2, 0), in(doTry, 0, 2, 0), in(doWait, 2, 0, 1)),
		sequence(plainly(in(doStore, 2, 1, 0)), operation(in(doNow, 0, 0, 0))),
		plainly(in(doCAS, 2, 0, 2), in(doStore, 0, 2, 2)),
	}},
	"an operation without a step, of a thread that has made none": {roots: 2, spin: 1,
		threads: [][]instruction{
			plainly(in(doStart, 0, 2, 0)),
			operation(in(doLoad, 1, 0, 0), in(doChoose, 1, 2, 1)),
			operation(in(doChoose, 2, 1, 2)),
		}},
}

func TestDPORFindsPinnedOutcomes(t *testing.T) {
	m := newTester()
	defer m.e.Close()
	for name, p := range pinned {
		if _, _, _, diff, ok := m.compare(p); !ok || diff != "" {
			t.Errorf("%s:\n%s%s", name, p, diff)
		}
	}
}

// A bound that no execution reaches leaves nothing out, and what random explorers find is
// among it.
func TestExplorersAgree(t *testing.T) {
	m := newTester()
	defer m.e.Close()
	programs := 200
	if testing.Short() {
		programs = 60
	}
	for i := range programs {
		p := randomProgram(rand.New(rand.NewPCG(99, uint64(i))), programSize)
		if p.orders() > programOrders {
			continue
		}
		want, full := m.explore(p, NewDepthFirst(Unbounded), programOrders)
		if !full.Complete {
			continue
		}
		got, bounded := m.explore(p, NewDepthFirst(64), 0)
		if d := difference(want, got); d != "" || bounded.Executions != full.Executions {
			t.Fatalf("program %d: %d executions of %d\n%s%s", i, bounded.Executions,
				full.Executions, p, d)
		}
		last := 0
		for bound := range 4 {
			_, res := m.explore(p, NewDepthFirst(bound), 0)
			if !res.Complete || res.Executions < last || res.Executions > full.Executions {
				t.Fatalf("program %d: %d executions at bound %d, %d before\n%s", i, res.Executions,
					bound, last, p)
			}
			last = res.Executions
		}
		for _, x := range []Explorer{NewRandomWalk(uint64(i), 50), NewPCT(uint64(i), 3, 50),
			NewBytes([]byte{byte(i), 1, 2, byte(i >> 1), 3, 1})} {
			got, _ := m.explore(p, x, 0)
			for outcome := range got {
				if want[outcome] == 0 {
					t.Fatalf("program %d: %s invents %q\n%s", i, x.Name(), outcome, p)
				}
			}
		}
	}
}

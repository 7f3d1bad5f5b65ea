//go:build modelcheck

package taskgraph_test

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// A part is one thing that a small program launches.
type part struct {
	// Kind is task, loop, graph, twice; ranked: a graph whose tasks go by rank, run twice unless
	// How is launch; calls: two of a group, from the caller; timer: an AfterDelay; every: a task of
	// Every; held: a task after an event that nobody triggers.
	Kind   string
	After  []int  // earlier parts
	Waits  int    // an earlier part that its body waits for, or -1
	Gate   string // a pipe; unit: of a semaphore, before it begins; asks: for a unit, in its body
	Thread bool   // on the named thread
	Always bool   // runs though one of After failed
	Fails  bool
	Spawns bool   // its body launches a task, which it is held open by
	Calls  bool   // its body makes calls of a group, and waits for them
	Beat   bool   // the caller sleeps until a beat, and then launches it
	Named  bool   // the caller names a beat, does not wait for it, and launches it
	Sleeps bool   // its body sleeps until a beat, when it has launched, or called, what it does
	How    string // launch, wait (launch and wait), run (the caller takes part)
}

// A small program is what one caller does, before it shuts the system down, and what somebody else
// does meanwhile.
//
// Not among it, since deterministic mode does not decide it:
//   - A shutdown that gives up on what is bound to a thread, which in that mode takes it at
//     once (TestModelGiveUp has that).
//   - A sleep that a shutdown gives up on: there a context starts a goroutine that nobody orders
//     (TestModelDoze has the kernel's part).
//   - Calls that panic, since what they fail with shows a stack.
//   - MaxTasks, since a task counts until a moment after its end.
type small struct {
	Parts []part
	// Timer says when that of a timer or an every comes: early, before the caller goes on; late,
	// when the other says so; never.
	Timer string
	// Awake says that idle workers and waits spin, and are awake at beats; else they sleep at once.
	Awake   bool
	GivesUp bool   // the context of Shutdown has ended
	Late    string // what the other does: none, go, wait, calls, timer
}

func (p small) String() string {
	var b strings.Builder
	for i, x := range p.Parts {
		fmt.Fprintf(&b, "%d: %s %s", i, x.How, x.Kind)
		if x.Gate != "" {
			b.WriteString(", " + x.Gate)
		}
		if len(x.After) > 0 {
			fmt.Fprintf(&b, " after %v", x.After)
		}
		if x.Waits >= 0 {
			fmt.Fprintf(&b, ", waits for %d", x.Waits)
		}
		for _, f := range []struct {
			is   bool
			what string
		}{{x.Thread, "on the thread"}, {x.Always, "always"}, {x.Fails, "fails"},
			{x.Spawns, "spawns"}, {x.Calls, "calls"}, {x.Beat, "at a beat"},
			{x.Named, "before a beat"}, {x.Sleeps, "sleeps"}} {
			if f.is {
				b.WriteString(", " + f.what)
			}
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "timer: %s, awake: %v, gives up: %v, another: %s\n", p.Timer, p.Awake,
		p.GivesUp, p.Late)
	return b.String()
}

// The least programs of some operations, which are explored whatever is drawn.
var least = []small{
	{Parts: []part{{Kind: "task", Waits: -1, How: "launch", Sleeps: true},
		{Kind: "task", Waits: -1, How: "launch", Named: true}}, Awake: true, Timer: "never",
		Late: "none"},
	{Parts: []part{{Kind: "timer", Waits: -1, How: "launch"}}, Timer: "late", Late: "timer"},
	{Parts: []part{{Kind: "every", Waits: -1, How: "launch"}}, Timer: "late", Late: "timer"},
	{Parts: []part{{Kind: "calls", Waits: -1, How: "launch"}}, Timer: "never", Late: "calls"},
	{Parts: []part{{Kind: "task", Waits: -1, Gate: "unit", How: "launch"},
		{Kind: "task", Waits: -1, Gate: "asks", How: "launch"}}, Timer: "never", Late: "none"},
	{Parts: []part{{Kind: "held", Waits: -1, How: "launch"}}, Timer: "never", GivesUp: true,
		Late: "go"},
	{Parts: []part{{Kind: "ranked", Waits: -1, How: "wait"}}, Timer: "never", Late: "none"},
	{Parts: []part{{Kind: "ranked", Waits: -1, How: "launch"}}, Timer: "never", GivesUp: true,
		Late: "none"},
	{Parts: []part{{Kind: "timer", Waits: -1, How: "launch"}}, Timer: "late", GivesUp: true,
		Late: "timer"},
	{Parts: []part{{Kind: "every", Waits: -1, How: "launch"}}, Timer: "late", GivesUp: true,
		Late: "timer"},
	{Parts: []part{{Kind: "task", Waits: -1, How: "launch"},
		{Kind: "task", Waits: -1, How: "wait", Beat: true}}, Awake: true, Timer: "never",
		Late: "none"},
	{Parts: []part{{Kind: "task", Waits: -1, How: "launch", Sleeps: true, Calls: true},
		{Kind: "task", Waits: -1, How: "launch"}}, Awake: true, Timer: "never", Late: "none"},
	{Parts: []part{{Kind: "task", Waits: -1, How: "launch", Sleeps: true, Spawns: true},
		{Kind: "loop", Waits: -1, How: "launch", Beat: true}}, Awake: true, Timer: "never",
		Late: "none"},
	{Parts: []part{{Kind: "graph", Waits: -1, How: "launch"},
		{Kind: "task", Waits: -1, How: "launch", Sleeps: true},
		{Kind: "task", Waits: -1, How: "launch", Beat: true}}, Awake: true, Timer: "never",
		Late: "none"},
	{Parts: []part{{Kind: "task", Waits: -1, How: "launch"},
		{Kind: "held", Waits: -1, How: "launch", Beat: true}}, Awake: true, Timer: "never",
		GivesUp: true, Late: "none"},
}

// drawSmall draws a program of at most so many parts.
func drawSmall(most int) *rapid.Generator[small] {
	return rapid.Custom(func(t *rapid.T) (p small) {
		p.GivesUp = rapid.IntRange(0, 3).Draw(t, "gives up") == 3
		p.Awake = rapid.IntRange(0, 3).Draw(t, "awake") == 3
		p.Timer = rapid.SampledFrom([]string{"early", "late", "late", "never"}).Draw(t, "timer")
		p.Late = rapid.SampledFrom([]string{"none", "go", "wait", "calls"}).Draw(t, "late")
		for i := range rapid.IntRange(1, most).Draw(t, "parts") {
			p.Parts = append(p.Parts, p.draw(t, i))
		}
		if p.Timer == "late" && slices.ContainsFunc(p.Parts, part.isTimed) {
			p.Late = "timer"
		}
		if p.Awake || p.GivesUp && slices.ContainsFunc(p.Parts, part.waits) {
			p.Late = "none" // the checker has eight threads, and the monitor may add a worker
		}
		return p
	})
}

func (p small) draw(t *rapid.T, i int) part {
	kinds := []string{"task", "task", "task", "task", "loop", "graph", "twice", "ranked", "calls",
		"timer", "timer"}
	kinds = append(kinds, "every", "every")
	if p.Awake { // who ends delays would also end a sleep of deterministic mode, which is one
		kinds = slices.DeleteFunc(kinds, func(k string) bool { return part{Kind: k}.isTimed() })
	}
	if p.GivesUp {
		kinds = append(kinds, "held", "held")
	}
	x := part{Kind: rapid.SampledFrom(kinds).Draw(t, "kind"), Waits: -1}
	if x.isTimed() && slices.ContainsFunc(p.Parts, part.isTimed) {
		x.Kind = "task" // the other ends one
	}
	earlier := p.before(x.Kind)
	if len(earlier) > 0 && !x.isTimed() && x.Kind != "calls" && rapid.Bool().Draw(t, "after") {
		x.After = []int{rapid.SampledFrom(earlier).Draw(t, "which")}
	}
	x.Fails = x.Kind != "calls" && x.Kind != "timer" && x.Kind != "held" &&
		rapid.IntRange(0, 3).Draw(t, "fails") == 3
	if p.Awake {
		at := rapid.SampledFrom([]string{"", "", "at", "at", "before"}).Draw(t, "beat")
		x.Beat, x.Named = at == "at", at == "before"
	}
	x.How = rapid.SampledFrom([]string{"launch", "launch", "wait", "run"}).Draw(t, "how")
	if x.Kind == "task" || x.Kind == "loop" {
		p.drawBody(t, &x, earlier)
	}
	if p.isEndless(x) {
		x.How, x.Gate = "launch", ""       // nobody waits for it but Shutdown
		x.Thread = x.Thread && x.Waits < 0 // nor does it keep a thread from others
	}
	return x
}

func (p small) drawBody(t *rapid.T, x *part, earlier []int) {
	x.Thread = rapid.IntRange(0, 3).Draw(t, "where") == 3 && !p.GivesUp && !p.Awake
	x.Always = rapid.Bool().Draw(t, "always")
	x.Spawns = rapid.IntRange(0, 2).Draw(t, "spawns") == 2
	x.Gate = rapid.SampledFrom([]string{"", "", "", "pipe", "unit", "asks"}).Draw(t, "gate")
	waits := rapid.SampledFrom([]string{"", "", "for", "for", "calls"}).Draw(t, "waits")
	if x.How == "run" && (x.Thread || x.Gate == "pipe" || x.Gate == "unit") {
		x.How = "wait" // a body that Run runs is the caller's, and begins at once
	}
	// One wait at most: each may take a runner of its own, and the checker has eight threads. Who
	// holds a unit waits for nobody who may want it, and keeps no thread.
	if x.Thread {
		x.Gate = ""
	}
	mayWait := x.Gate != "asks" && !slices.ContainsFunc(p.Parts, part.waits)
	sleeps := p.Awake && !p.GivesUp && mayWait && x.How != "run" && x.Gate == ""
	switch {
	case sleeps && rapid.Bool().Draw(t, "sleeps"):
		x.Sleeps, x.Calls = true, rapid.Bool().Draw(t, "calls first")
	case x.Gate == "asks" && slices.ContainsFunc(p.Parts, part.waits):
		x.Gate = ""
	case waits == "for" && mayWait && x.Gate == "" && len(earlier) > 0:
		x.Waits = rapid.SampledFrom(earlier).Draw(t, "for")
	case waits == "calls" && mayWait:
		x.Calls = true
	}
}

func (x part) isTimed() bool { return x.Kind == "timer" || x.Kind == "every" }

func (x part) waits() bool { return x.Waits >= 0 || x.Calls || x.Sleeps || x.Gate == "asks" }

// isEndless reports whether x ends by Shutdown only.
func (p small) isEndless(x part) bool {
	if x.Kind == "every" || x.Kind == "held" || x.Kind == "timer" && p.Timer == "never" ||
		x.Waits >= 0 && p.isEndless(p.Parts[x.Waits]) {
		return true
	}
	return slices.ContainsFunc(x.After, func(i int) bool { return p.isEndless(p.Parts[i]) })
}

// isLate reports whether x ends only after its own beat, or that of another body.
func (p small) isLate(x part) bool {
	return x.Sleeps || x.Waits >= 0 && p.isLate(p.Parts[x.Waits]) ||
		slices.ContainsFunc(x.After, func(i int) bool { return p.isLate(p.Parts[i]) })
}

// before returns the parts that one of this kind may wait for.
func (p small) before(kind string) (parts []int) {
	for i, x := range p.Parts {
		switch {
		case (kind == "twice" || kind == "ranked") && p.isEndless(x):
			// the caller waits for the first of the two
		case x.Kind == "timer" && p.isEndless(x) && !p.GivesUp: // Shutdown would wait for it
		default:
			parts = append(parts, i)
		}
	}
	return parts
}

package history

import "fmt"

// A LevelChecker judges histories of queues with priorities and Leveled values, whose contract is
// weaker than linearizability: an OpPop that takes a value of a level saw each higher level empty
// at some moment inside the call, but not all at the same moment. An OpPop that fails saw all of
// them empty at one moment.
//
// It makes two checks. The whole history must be explained by a Spec that lets an OpPop take
// from any level, such as Levels or StallingQueue. And the history of each level by itself,
// see AppendLevel, must be that of a FIFO: linearizability is local, so that the levels need
// not be judged together. It is not asked whether one order serves both checks.
//
// Make one with NewLevelChecker. It keeps its scratch memory.
//
// # Concurrency
//
// For one goroutine at a time.
//
// # Cost
//
// As a Checker for each level, and one for the whole. With pending OpPops, all of that for each
// way to assign levels to them.
type LevelChecker[S comparable] struct {
	whole  *Checker[S]
	level  *Checker[Values]
	levels int
	calls  []Call // the history with levels assigned to pending calls
	part   []Call
}

// NewLevelChecker returns a LevelChecker for that many levels. whole must let OpPop take from
// any level.
func NewLevelChecker[S comparable](whole Spec[S], levels int) *LevelChecker[S] {
	if levels < 1 || levels > 1<<levelBits {
		panic(fmt.Sprintf("history: LevelChecker with %d levels", levels))
	}
	one := FIFO()
	one.Name = whole.Name
	return &LevelChecker[S]{whole: NewChecker(whole), level: NewChecker(one), levels: levels}
}

// Linearizable reports whether the history satisfies the contract.
func (l *LevelChecker[S]) Linearizable(calls []Call) bool {
	l.calls = append(l.calls[:0], calls...)
	return l.assign(0)
}

// assign tries each level for the pending OpPops from call i on.
func (l *LevelChecker[S]) assign(i int) bool {
	for ; i < len(l.calls); i++ {
		if l.calls[i].Op == OpPop && l.calls[i].Status == Pending {
			for level := range l.levels {
				l.calls[i].Ret = Leveled(0, level)
				if l.assign(i + 1) {
					return true
				}
			}
			return false
		}
	}
	if !l.whole.Linearizable(l.calls) {
		return false
	}
	for level := range l.levels {
		l.part = AppendLevel(l.part[:0], l.calls, level)
		if !l.level.Linearizable(l.part) {
			return false
		}
	}
	return true
}

// Explain draws what is wrong with a history, as Checker.Explain does: the whole of it, or
// the level of which no order explains it. Pending OpPops are drawn as if they took from
// level 0. It returns "" if nothing is wrong.
func (l *LevelChecker[S]) Explain(calls []Call) string {
	if l.Linearizable(calls) {
		return ""
	}
	l.calls = append(l.calls[:0], calls...)
	for i := range l.calls {
		if l.calls[i].Status == Pending && l.calls[i].Op == OpPop {
			l.calls[i].Ret = Leveled(0, 0)
		}
	}
	if text := l.whole.Explain(l.calls); text != "" {
		return text
	}
	for level := range l.levels {
		l.part = AppendLevel(l.part[:0], l.calls, level)
		if text := l.level.Explain(l.part); text != "" {
			return fmt.Sprintf("level %d, where a call that took from below saw it empty:\n%s",
				level, text)
		}
	}
	return "pending calls can be explained in no way\n"
}

// AppendLevel appends to part what a history of a queue with priorities and Leveled values says
// about one level: what was pushed to it and popped from it, and when it was seen empty, which is
// in each OpPop that failed or took from a lower level. The other operations are left out. A
// pending OpPop belongs to the level of its Ret.
func AppendLevel(part, calls []Call, level int) []Call {
	for i := range calls {
		c := calls[i]
		switch {
		case c.Op == OpPush && LevelOf(c.Arg) != level:
			continue
		case c.Op == OpPush:
		case c.Op != OpPop:
			continue
		case c.Status == Fail:
		case LevelOf(c.Ret) < level:
			continue
		case LevelOf(c.Ret) > level && c.Status == Pending:
			continue
		case LevelOf(c.Ret) > level:
			c.Ret, c.Status = 0, Fail
		}
		part = append(part, c)
	}
	return part
}

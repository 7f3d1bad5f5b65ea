package history

import (
	"fmt"
	"strings"
)

// Stalling is the state of a queue of two priorities whose owner can stall.
type Stalling struct {
	// Values are what it holds of each priority, in the order in which they were pushed.
	Values [2]Values
	// Stalled says that the owner has stalled.
	Stalled bool
	// Closed is final.
	Closed bool
}

// OfPriority returns the Arg of an OpPush of v, at most 255, to a StallingQueue.
func OfPriority(v int64, priority int) int64 { return int64(priority)<<8 | v }

// StallingQueue is the Spec of a queue of two priorities whose owner takes all that is there, can
// stall and can close it. An OpPush, of an OfPriority, fails if and only if the queue is closed,
// else it returns 1 if the owner has stalled, which ends that, or 0. OpPopAll takes all values of
// the priority Arg, the oldest first. OpStall fails if and only if there are values; OpUnstall ends
// it. One OpClose succeeds; it returns 1 if the owner has stalled, and ends that.
func StallingQueue() Spec[Stalling] {
	return Spec[Stalling]{Step: stepStalling, Name: StallingOpName}
}

// StallingOpName is OpName for a StallingQueue: it says who wakes the owner.
func StallingOpName(c *Call) string {
	name := OpName(c)
	if c.Op == OpPush || c.Op == OpClose {
		of := func(v int64) string { return fmt.Sprintf("%d/priority %d", v&255, v>>8) }
		name = opName(&Call{Op: c.Op, Arg: c.Arg, Status: Pending}, of)
		says := map[int32]string{OK: "yes", Fail: "no", Pending: "?"}[c.Status]
		if c.Status == OK && c.Ret == 1 {
			says = "yes, wake"
		}
		name = strings.TrimSuffix(name, "?") + says
	}
	if c.Op == OpPopAll {
		name = strings.Replace(name, "()", fmt.Sprintf("(priority %d)", c.Arg), 1)
	}
	return name
}

func stepStalling(s Stalling, c *Call) (Stalling, bool) {
	pending := c.Status == Pending
	holds := s.Values[0].Len()+s.Values[1].Len() > 0
	switch c.Op {
	case OpPush:
		if c.Status == Fail || s.Closed {
			return s, s.Closed && c.Status == Fail
		}
		wakes := s.Stalled
		s.Values[c.Arg>>8].Push(c.Arg & 255)
		s.Stalled = false
		return s, pending || wakes == (c.Ret == 1)
	case OpPopAll:
		legal := pending || s.Values[c.Arg].Pack(false) == c.Ret
		s.Values[c.Arg] = Values{}
		return s, legal
	case OpStall:
		if c.Status == Fail || holds {
			return s, holds && c.Status == Fail
		}
		s.Stalled = true
		return s, true
	case OpUnstall:
		was := s.Stalled
		s.Stalled = false
		return s, pending || was == (c.Status == Fail)
	case OpClose:
		if c.Status == Fail || s.Closed {
			return s, s.Closed && c.Status == Fail
		}
		was := s.Stalled
		s.Stalled, s.Closed = false, true
		return s, pending || was == (c.Ret == 1)
	case OpClosed:
		return s, !pending && s.Closed == (c.Status == OK)
	}
	badOp("StallingQueue", c)
	return s, false
}

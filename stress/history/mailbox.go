package history

import "strings"

// Mailed is the state of a mailbox.
type Mailed struct {
	// Values are what it holds, in the order in which they were pushed.
	Values Values
	// Stalled says that the owner has stalled.
	Stalled bool
	// Closed is final.
	Closed bool
}

// Mailbox is the Spec of a queue whose owner takes all that is there, can stall and can close it.
// An OpPush fails if and only if the box is closed, else it returns 1 if the owner has stalled, which
// ends that, or 0. OpPopAll takes all values, the oldest first. OpStall fails if and only if there are
// values; OpUnstall ends it. One OpClose succeeds; it returns 1 if the owner has stalled, and ends that.
func Mailbox() Spec[Mailed] { return Spec[Mailed]{Step: stepMailbox, Name: MailboxOpName} }

// MailboxOpName is OpName for a mailbox: it says who wakes the owner.
func MailboxOpName(c *Call) string {
	if (c.Op == OpPush || c.Op == OpClose) && c.Status == OK {
		name := opName(&Call{Op: c.Op, Arg: c.Arg, Status: Pending}, plain)
		return strings.TrimSuffix(name, "?") + map[bool]string{false: "yes", true: "yes, wake"}[c.Ret == 1]
	}
	return OpName(c)
}

func stepMailbox(s Mailed, c *Call) (Mailed, bool) {
	pending := c.Status == Pending
	switch c.Op {
	case OpPush:
		if c.Status == Fail || s.Closed {
			return s, s.Closed && c.Status == Fail
		}
		wakes := s.Stalled
		s.Values.Push(c.Arg)
		s.Stalled = false
		return s, pending || wakes == (c.Ret == 1)
	case OpPopAll:
		legal := pending || s.Values.Pack(false) == c.Ret
		s.Values = Values{}
		return s, legal
	case OpStall:
		if c.Status == Fail || s.Values.Len() > 0 {
			return s, s.Values.Len() > 0 && c.Status == Fail
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
	badOp("Mailbox", c)
	return s, false
}

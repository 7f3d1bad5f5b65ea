package history

import "fmt"

// The operations of the Specs of this package. A value is from 0 to 255, and unique in its
// history where nothing else is said.
const (
	OpPush   = iota // adds Arg; Fail: full or closed
	OpPop           // takes Ret; Fail: empty; of a deque: by the owner, at the end of OpPush
	OpSteal         // takes Ret from the other end of a deque; Fail: empty; Retry: lost a race
	OpPopAll        // takes Ret, a Pack; of a stalling queue: of the priority Arg
	// takes Ret, a Pack, and closes; Fail: was closed; of a stalling queue: Ret is 1 if the owner
	// is to be woken
	OpClose
	OpClosed  // OK: is closed; Fail: is open
	OpTrigger // sets an event; Status means nothing
	OpWait    // OK: found an event set; Fail: did not
	OpReset   // resets an event; OK: it was set; Fail: it was not
	OpStall   // registers the owner as stalled; Fail: not empty
	OpUnstall // takes that back; OK: it was gone; Fail: it was there
	OpNewest  // looks at Ret, which OpPop would take, by a deque's owner; Fail: empty
)

var opNames = [...]string{"Push", "Pop", "Steal", "PopAll", "Close", "Closed", "Trigger", "Wait",
	"Reset",
	"Stall", "Unstall", "Newest"}

// OpName names a call of one of the operations of this package, as Spec.Name does.
func OpName(c *Call) string { return opName(c, plain) }

// LeveledOpName is OpName where values are Leveled.
func LeveledOpName(c *Call) string {
	return opName(c, func(v int64) string {
		return fmt.Sprintf("%d/level %d", v>>levelBits, LevelOf(v))
	})
}

func plain(v int64) string { return fmt.Sprint(v) }

func opName(c *Call, value func(int64) string) string {
	if uint(c.Op) >= uint(len(opNames)) {
		return numbers(c)
	}
	name := opNames[c.Op]
	ret := map[int32]string{Fail: "no", OK: "yes", Retry: "retry", Pending: "?"}[c.Status]
	switch c.Op {
	case OpPush:
		name += "(" + value(c.Arg) + ")"
		if c.Status == OK {
			return name
		}
	case OpPop, OpSteal, OpNewest:
		name += "()"
		if c.Status == OK {
			ret = value(c.Ret)
		}
	case OpPopAll, OpClose:
		name += "()"
		if c.Status == OK {
			ret = PackName(c.Ret)
		}
	case OpTrigger:
		name += "()"
		if c.Status != Pending {
			return name
		}
	default:
		name += "()"
	}
	return name + " = " + ret
}

// numbers names a call without knowing what it means.
func numbers(c *Call) string {
	return fmt.Sprintf("op %d(%d) = %d, status %d", c.Op, c.Arg, c.Ret, c.Status)
}

// badOp panics for a call that is not of the object.
func badOp(object string, c *Call) {
	panic(fmt.Sprintf("history: %s: %s with status %d", object, OpName(c), c.Status))
}

// A Leveled value carries the level, 0 to 3, on which it is pushed; Leveled makes one. With v from
// 0 to 63 it is one that the Specs can hold.
func Leveled(v int64, level int) int64 {
	if uint(level) >= 1<<levelBits {
		panic(fmt.Sprintf("history: level %d of %d", level, 1<<levelBits))
	}
	return v<<levelBits | int64(level)
}

// LevelOf returns the level of a Leveled value.
func LevelOf(v int64) int { return int(v & (1<<levelBits - 1)) }

const levelBits = 2

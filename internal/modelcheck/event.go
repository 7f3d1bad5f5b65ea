package modelcheck

// An op is a kind of step.
type op uint8

const (
	opNone op = iota
	opLoad
	opStore
	opSwap
	opCAS
	opCASFailed // a compare-and-swap that failed only reads
	opAdd
	opAnd
	opOr
	opWait   // compare a word and wait on it
	opWake   // wake a thread that waits on a word
	opResume // what a waiting thread will do if it is woken
	opWoken  // the same, once it is woken
	opExpire // leave a wait at its time limit
	opSpawn  // start a thread
)

// verb returns a verb for what a thread does.
func (o op) verb() string {
	return [...]string{"start", "load", "store", "swap", "compare-and-swap", "compare-and-swap",
		"add", "and", "or",
		"wait", "wake", "go on", "go on", "give up waiting", "start a thread"}[o]
}

// An event is a step, announced or carried out, as the explorers see it.
type event struct {
	word  uint16 // 0: none
	op    op
	flags uint8
}

const (
	flagWrite uint8 = 1 << iota
	flagFirst       // the first step of an operation of a history
	flagLast        // the last one
)

// dependent reports whether the order of two steps of different threads matters: they touch
// the same word and one writes, or one ends an operation and the other begins one, so that
// their order says whether the first operation precedes the second.
//
//go:norace
func dependent(a, b event) bool {
	return a.word == b.word && a.word != 0 && (a.flags|b.flags)&flagWrite != 0 ||
		a.flags&flagFirst != 0 && b.flags&flagLast != 0 ||
		a.flags&flagLast != 0 && b.flags&flagFirst != 0
}

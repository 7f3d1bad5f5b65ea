package osthread

import (
	"errors"
	"fmt"
	"strings"
)

// The platform supplies, in thread_*.go, the constants HasID, HasName (SetName), HasPriority,
// HasAffinity and HasSwitches, MaxName, and the functions id, setName, name, setPriority,
// setAffinity, affinity and switches. Functions that it lacks return unsupported(what).

// unsupported returns the error of a function that the platform lacks.
func unsupported(what string) error {
	return fmt.Errorf("osthread: %s: %w", what, errors.ErrUnsupported)
}

// failed names the call that failed; nil stays nil.
func failed(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("osthread: %s: %w", what, err)
}

// ID returns the operating system's id of the calling thread. Ids are unique among living threads,
// and are reused except on Darwin; a [Mark] tells such threads apart.
func ID() (uint64, error) { return id() }

// SetName sets the name of the calling thread that debuggers and monitors show. A name
// longer than MaxName bytes is cut, at the start of a character; at a zero byte it ends.
func SetName(name string) error {
	name, _, _ = strings.Cut(name, "\x00")
	return setName(cut(name, MaxName))
}

// cut returns the longest prefix of s of at most n bytes that does not split a character;
// n == 0: all of s.
func cut(s string, n int) string {
	if n == 0 || len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:n]
}

// Name returns the name of the calling thread.
func Name() (string, error) { return name() }

// SetPriority sets the priority of the calling thread. It panics if p is not one of the
// constants. A thread that may not have it gets an error that wraps fs.ErrPermission.
func SetPriority(p Priority) error {
	if !p.valid() {
		panic("osthread: unknown Priority")
	}
	return setPriority(p)
}

// SetAffinity confines the calling thread to the given processors, which are numbered from
// 0 as the operating system does. It fails if there is none among them that exists and the
// process may use, if a number is out of the range that the system can express, and on Windows if
// the process may not use one of them.
func SetAffinity(cpus []int) error {
	if !HasAffinity {
		return setAffinity(nil)
	}
	for _, c := range cpus {
		if c < 0 || c >= maxCPU {
			return fmt.Errorf("osthread: SetAffinity: processor %d out of range [0,%d)", c, maxCPU)
		}
	}
	if len(cpus) == 0 {
		return errors.New("osthread: SetAffinity: no processor given")
	}
	return setAffinity(cpus)
}

// Affinity returns the processors that the calling thread may run on, in rising order.
func Affinity() ([]int, error) { return affinity() }

// Switches returns how often the calling thread gave its processor up, and how often the system
// took the processor from it.
func Switches() (voluntary, involuntary uint64, err error) {
	self, err := id()
	if err != nil {
		return 0, 0, err
	}
	return switches(self)
}

// SwitchesOf is Switches for any thread of the process, by its ID.
func SwitchesOf(id uint64) (voluntary, involuntary uint64, err error) { return switches(id) }

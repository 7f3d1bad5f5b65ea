//go:build !linux && !windows && !freebsd && !darwin

package osthread

// What this platform supports.
const (
	HasID       = false
	HasName     = false
	HasPriority = false
	HasAffinity = false
	HasSwitches = false

	// MaxName is the length in bytes of the longest thread name, 0 if there is no limit.
	MaxName = 0
)

const maxCPU = 0

// errNoID is made once, because ID is called often.
var errNoID = unsupported("ID")

func id() (uint64, error) { return 0, errNoID }

func setName(string) error { return unsupported("SetName") }

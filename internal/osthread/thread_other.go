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

// errNoID is made once, because whoever asks does so often.
var errNoID = unsupported("ID")

func id() (uint64, error) { return 0, errNoID }

func setName(string) error { return unsupported("SetName") }

func name() (string, error) { return "", unsupported("Name") }

func setPriority(Priority) error { return unsupported("SetPriority") }

func setAffinity([]int) error { return unsupported("SetAffinity") }

func affinity() ([]int, error) { return nil, unsupported("Affinity") }

func switches(uint64) (voluntary, involuntary uint64, err error) {
	return 0, 0, unsupported("Switches")
}

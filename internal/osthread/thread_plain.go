//go:build !linux && !windows

package osthread

func name() (string, error) { return "", unsupported("Name") }

func setPriority(Priority) error { return unsupported("SetPriority") }

func setAffinity([]int) error { return unsupported("SetAffinity") }

func affinity() ([]int, error) { return nil, unsupported("Affinity") }

func switches(uint64) (voluntary, involuntary uint64, err error) {
	return 0, 0, unsupported("Switches")
}

package scene

// A Variant says how a frame orders the simulation and what depends on it.
type Variant uint8

// The variants.
const (
	// Serial: inputs, simulation, dependents, unrelated, one after the other.
	Serial Variant = iota
	// Lagged: dependents run beside the simulation and read the last frame's result.
	Lagged
	// Split: unrelated objects run beside the simulation, dependents after it. The result is
	// that of Serial.
	Split
)

// String returns the variant's name.
func (v Variant) String() string { return [...]string{"serial", "lagged", "split"}[v] }

// ParseVariant returns the variant of a name, and whether there is one.
func ParseVariant(name string) (Variant, bool) {
	for v := Serial; v <= Split; v++ {
		if v.String() == name {
			return v, true
		}
	}
	return 0, false
}

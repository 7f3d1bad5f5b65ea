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
	// Barriers: inputs and simulation, unrelated, dependents, picture, each when all before is
	// done. The result is that of Serial.
	Barriers

	// Variants is how many there are.
	Variants
)

// String returns the variant's name.
func (v Variant) String() string { return [...]string{"serial", "lagged", "split", "barriers"}[v] }

// ParseVariant returns the variant of a name, and whether there is one.
func ParseVariant(name string) (Variant, bool) {
	for v := range Variants {
		if v.String() == name {
			return v, true
		}
	}
	return 0, false
}

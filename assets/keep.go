package assets

// Keep says how long a resource stays that nobody holds any more: neither a handle nor, through
// what depends on it, another resource.
type Keep uint8

// What Keep can be. README.md has a table of what happens when.
const (
	KeepDefault Keep = iota // as the TypeRule says; without one KeepScene
	KeepScene               // it goes when its last holder releases it, or with the scene
	KeepCached              // it stays within a budget of bytes, the least recently held go first
	KeepManual              // it stays until Manager.Unload
	KeepAlways              // it belongs to the engine: until the manager is closed
)

var keepNames = [...]string{"default", "scene", "cached", "manual", "always"}

// String returns what follows Keep in the name of the constant.
func (k Keep) String() string {
	if int(k) < len(keepNames) {
		return keepNames[k]
	}
	return "invalid"
}

// A TypeRule says what is special about resources of one type.
type TypeRule struct {
	// Keep is how long they stay if no pipe says otherwise.
	Keep Keep
	// Degrade makes them ready although a child has failed: Handle.Lost then names that child.
	// Otherwise they fail with it.
	Degrade bool
}

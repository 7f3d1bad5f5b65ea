package assets

// A ChangeKind says what happened to a resource.
type ChangeKind uint8

// The kinds.
const (
	ChangeReady    ChangeKind = iota // it became ready
	ChangeFailed                     // it failed, or a reload of it did
	ChangeUnloaded                   // it was unloaded
	ChangeReloaded                   // its handles now have what was loaded anew
	ChangeAffected                   // what it depends on, directly or not, was reloaded
)

var changeNames = [...]string{"ready", "failed", "unloaded", "reloaded", "affected"}

// String returns the kind in one word.
func (k ChangeKind) String() string {
	if int(k) < len(changeNames) {
		return changeNames[k]
	}
	return "invalid"
}

// A Change is what subscribers are told.
type Change struct {
	Kind  ChangeKind
	ID    ID
	Cause ID    // of ChangeAffected: what was reloaded
	Err   error // of ChangeFailed
}

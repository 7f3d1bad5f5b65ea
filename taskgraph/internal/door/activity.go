package door

import "github.com/heddle-go/heddle/internal/atomics"

// An Activity counts those who are active, and every change, so that between two equal stamps
// nothing changed. The zero value counts nobody.
type Activity struct {
	n atomics.Uint64 // who is active in the low bits, and above them the changes
}

const activityChange = 1 << 24

// Enter counts one more as active.
func (a *Activity) Enter() { a.n.Add(activityChange + 1) }

// Leave ends an Enter, and reports whether nobody is active any more.
func (a *Activity) Leave() (none bool) { return a.n.Add(activityChange-1)%activityChange == 0 }

// Look returns how many are active and the stamp, a number that changes with each change.
func (a *Activity) Look() (active int, stamp uint64) {
	n := a.n.Load()
	return int(n % activityChange), n
}

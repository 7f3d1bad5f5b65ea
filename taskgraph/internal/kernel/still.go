package kernel

// A body that runs without a slot, on a thread, and waits is not active: it is not what keeps the
// kernel busy. But it has not returned, so it is counted as aside. The page still.md has the steps.

// StandAside says that such a body, which counts as active, waits; until GoOn.
func (k *Kernel) StandAside() {
	k.CountAside()
	k.Leave()
}

// GoOn says that the wait is over, and makes the body active again.
func (k *Kernel) GoOn() {
	k.Enter() // Y2
	k.UncountAside()
}

// CountAside is for a body that ceases to be active by itself, after that: by Leave, or because it
// gives the slot back that it was lent.
func (k *Kernel) CountAside() { k.aside.Add(1) } // Y1

// UncountAside ends CountAside, once the body is active again.
func (k *Kernel) UncountAside() { k.aside.Add(-1) }

// Aside returns how many are aside.
func (k *Kernel) Aside() int { return int(k.aside.Load()) }

// Still reports whether it is quiet and nobody is aside: no body goes on. Its stamp is Activity's.
func (k *Kernel) Still() (still bool, stamp uint64) {
	quiet, stamp := k.Quiet()
	if !quiet || k.aside.Load() != 0 { // Y3
		return false, stamp
	}
	_, again := k.Activity() // Y4
	return again == stamp, stamp
}

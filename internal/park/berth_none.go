//go:build !modelcheck && (!linux || !gc || heddle_nolinkname || race || heddle_count)

package park

// A berth does nothing in this build.
type berth struct {
	mask uint64 // 0: nobody is bound
}

func (*berth) steer() {}

//go:build linux && gc && !heddle_nolinkname && !modelcheck && (race || heddle_count)

package park

func (*berth) enterThread() {}
func (*berth) leaveThread() {}

//go:build !linux && !windows

package osthread

type mark struct{}

func newMark() mark { return mark{} }

func (mark) alive() bool { return true }

func (mark) drop() {}

//go:build windows

package osthread

import "golang.org/x/sys/windows"

// A mark is a handle of the thread. Windows gives the id to no other thread while one is open.
type mark struct{ handle windows.Handle }

func newMark() mark {
	var m mark
	self := windows.CurrentProcess()
	if windows.DuplicateHandle(self, windows.CurrentThread(), self, &m.handle, windows.SYNCHRONIZE,
		false, 0) != nil {
		return mark{}
	}
	return m
}

// While the handle is open only its thread has the id, so the thread with the id is alive.
func (m mark) alive() bool { return true }

func (m mark) drop() {
	if m.handle != 0 {
		windows.CloseHandle(m.handle)
	}
}

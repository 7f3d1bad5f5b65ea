//go:build windows

package history

import (
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/heddle-go/heddle/internal/atomics"
)

var (
	kernel32      = windows.NewLazySystemDLL("kernel32.dll")
	procCounter   = kernel32.NewProc("QueryPerformanceCounter")
	procFrequency = kernel32.NewProc("QueryPerformanceFrequency")

	ticksPerSecond = counter(procFrequency)
)

// counter calls one of the two procedures. On all that Go supports they exist and succeed.
func counter(p *windows.LazyProc) (value int64) {
	_, _, _ = syscall.SyscallN(p.Addr(), uintptr(unsafe.Pointer(&value)))
	return value
}

// now asks the counter of the processor: package time's clock goes by steps of half a millisecond
// and more.
func now() int64 {
	if atomics.Modeled() {
		return atomics.Now()
	}
	ticks := counter(procCounter)
	return ticks/ticksPerSecond*int64(time.Second) +
		ticks%ticksPerSecond*int64(time.Second)/ticksPerSecond
}

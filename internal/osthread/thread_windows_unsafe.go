//go:build windows

package osthread

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/windows"
)

// What this platform supports.
const (
	HasID       = true
	HasName     = true
	HasPriority = true
	HasAffinity = true
	HasSwitches = false

	// MaxName is the length in bytes of the longest thread name, 0 if there is no limit.
	MaxName = 0
)

// maxCPU is the number of processors in a group; SetAffinity knows only the thread's group.
const maxCPU = int(unsafe.Sizeof(uintptr(0))) * 8

var (
	kernelBase               = windows.NewLazySystemDLL("kernelbase.dll")
	kernel32                 = windows.NewLazySystemDLL("kernel32.dll")
	procSetThreadDescription = kernelBase.NewProc("SetThreadDescription")
	procGetThreadDescription = kernelBase.NewProc("GetThreadDescription")
	procSetThreadPriority    = kernel32.NewProc("SetThreadPriority")
	procSetThreadAffinity    = kernel32.NewProc("SetThreadAffinityMask")
)

func id() (uint64, error) { return uint64(windows.GetCurrentThreadId()), nil }

// check turns an HRESULT into an error.
func check(what string, hresult uintptr) error {
	if int32(hresult) < 0 {
		return fmt.Errorf("osthread: %s: HRESULT %#x", what, uint32(hresult))
	}
	return nil
}

func setName(name string) error {
	if procSetThreadDescription.Find() != nil { // Windows Server 2016 and older Windows 10
		return unsupported("SetName")
	}
	s, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return failed("SetName", err)
	}
	r, _, _ := procSetThreadDescription.Call(uintptr(windows.CurrentThread()),
		uintptr(unsafe.Pointer(s)))
	return check("SetName", r)
}

func name() (string, error) {
	if procGetThreadDescription.Find() != nil {
		return "", unsupported("Name")
	}
	var s *uint16
	r, _, _ := procGetThreadDescription.Call(uintptr(windows.CurrentThread()),
		uintptr(unsafe.Pointer(&s)))
	if err := check("Name", r); err != nil {
		return "", err
	}
	name := windows.UTF16PtrToString(s)
	_, err := windows.LocalFree(windows.Handle(unsafe.Pointer(s)))
	return name, failed("Name", err)
}

func setPriority(p Priority) error {
	// The system's figures run from THREAD_PRIORITY_BELOW_NORMAL (-1) to
	// THREAD_PRIORITY_HIGHEST (2), as Priority's do.
	r, _, err := procSetThreadPriority.Call(uintptr(windows.CurrentThread()), uintptr(p))
	if r == 0 {
		return failed("SetPriority", err)
	}
	return nil
}

func setAffinity(cpus []int) error {
	var mask uintptr
	for _, c := range cpus {
		mask |= 1 << c
	}
	r, _, err := procSetThreadAffinity.Call(uintptr(windows.CurrentThread()), mask)
	if r == 0 {
		return failed("SetAffinity", err)
	}
	return nil
}

func affinity() ([]int, error) { return nil, unsupported("Affinity") }

func switches(uint64) (voluntary, involuntary uint64, err error) {
	return 0, 0, unsupported("Switches")
}

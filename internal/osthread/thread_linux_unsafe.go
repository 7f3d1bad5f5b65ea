//go:build linux

package osthread

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What this platform supports.
const (
	HasID       = true
	HasName     = true
	HasPriority = true
	HasAffinity = true
	HasSwitches = true

	// MaxName is the length in bytes of the longest thread name, 0 if there is no limit.
	MaxName = 15
)

// maxCPU is the number of processors that a unix.CPUSet has room for.
const maxCPU = int(unsafe.Sizeof(unix.CPUSet{})) * 8

func id() (uint64, error) { return uint64(unix.Gettid()), nil }

func setName(name string) error {
	b := append([]byte(name), 0)
	// Not unix.Prctl: only in a call of Syscall itself does the conversion keep b in place.
	_, _, e := unix.RawSyscall(unix.SYS_PRCTL, unix.PR_SET_NAME, uintptr(unsafe.Pointer(&b[0])), 0)
	if e != 0 {
		return failed("SetName", e)
	}
	return nil
}

func name() (string, error) {
	var b [MaxName + 1]byte
	_, _, e := unix.RawSyscall(unix.SYS_PRCTL, unix.PR_GET_NAME, uintptr(unsafe.Pointer(&b)), 0)
	if e != 0 {
		return "", failed("Name", e)
	}
	s, _, _ := bytes.Cut(b[:], []byte{0})
	return string(s), nil
}

// nice holds the nice values of the priorities, from PriorityLow on.
var nice = [...]int{10, 0, -5, -10}

// setPriority relies on Linux keeping the nice value for each thread, not for the process
// as POSIX has it.
func setPriority(p Priority) error {
	err := unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), nice[p-PriorityLow])
	return failed("SetPriority", err)
}

func setAffinity(cpus []int) error {
	var set unix.CPUSet
	for _, c := range cpus {
		set.Set(c)
	}
	return failed("SetAffinity", unix.SchedSetaffinity(0, &set))
}

func affinity() ([]int, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil, failed("Affinity", err)
	}
	cpus := make([]int, 0, set.Count())
	for c := range maxCPU {
		if set.IsSet(c) {
			cpus = append(cpus, c)
		}
	}
	return cpus, nil
}

func switches(id uint64) (voluntary, involuntary uint64, err error) {
	f, err := os.Open(fmt.Sprintf("/proc/self/task/%d/status", id))
	if err != nil {
		return 0, 0, failed("Switches", err)
	}
	defer f.Close()
	return switchesIn(f)
}

// switchesIn reads what the kernel says of a thread.
func switchesIn(status io.Reader) (voluntary, involuntary uint64, err error) {
	found := 0
	lines := bufio.NewScanner(status)
	for lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), ":")
		var to *uint64
		switch key {
		case "voluntary_ctxt_switches":
			to = &voluntary
		case "nonvoluntary_ctxt_switches":
			to = &involuntary
		default:
			continue
		}
		if *to, err = strconv.ParseUint(strings.TrimSpace(value), 10, 64); err != nil {
			return 0, 0, failed("Switches", err)
		}
		found++
	}
	if err := lines.Err(); err != nil {
		return 0, 0, failed("Switches", err)
	}
	if found != 2 { // a kernel built without the counters
		return 0, 0, unsupported("Switches")
	}
	return voluntary, involuntary, nil
}

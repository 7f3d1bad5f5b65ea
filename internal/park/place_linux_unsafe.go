//go:build linux && gc && !heddle_nolinkname && !modelcheck && !race && !heddle_count

package park

import (
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// CanMove reports whether [GoElsewhere] could move the caller's thread.
func CanMove() bool {
	_, ok := otherOfTwo(0)
	return ok
}

// Here returns the number of the processor on which the caller runs, and the id of its thread. Both
// may have changed on return. It makes two short system calls.
func Here() (processor, thread uint32) {
	_, _, _ = syscall.RawSyscall(unix.SYS_GETCPU, uintptr(unsafe.Pointer(&processor)), 0, 0)
	id, _, _ := syscall.RawSyscall(unix.SYS_GETTID, 0, 0, 0)
	return processor, uint32(id)
}

// IsRunnableOn reports whether a thread of this process runs on a processor, or waits for it, but
// does not sleep. It reads the kernel's table of processes (proc(5)), which takes some 10 µs, and
// reports false where there is none. It allocates nothing.
func IsRunnableOn(thread, processor uint32) bool {
	var buffer [512]byte
	n := readStat(buffer[:], thread)
	state, last, ok := parseStat(buffer[:n])
	return ok && state == 'R' && last == processor
}

// readStat reads the line of a thread of this process, or nothing.
func readStat(buffer []byte, thread uint32) int {
	name := append(buffer[:0], "/proc/self/task/"...)
	name = strconv.AppendUint(name, uint64(thread), 10)
	name = append(name, "/stat\x00"...)
	dir := unix.AT_FDCWD // the name is absolute
	file, _, errno := syscall.RawSyscall6(unix.SYS_OPENAT, uintptr(dir),
		uintptr(unsafe.Pointer(&name[0])), unix.O_RDONLY|unix.O_CLOEXEC, 0, 0, 0)
	if errno != 0 {
		return 0
	}
	n, _, _ := syscall.RawSyscall(unix.SYS_READ, file, uintptr(unsafe.Pointer(&buffer[0])),
		uintptr(len(buffer)))
	_, _, _ = syscall.RawSyscall(unix.SYS_CLOSE, file, 0, 0)
	return max(int(n), 0)
}

// The places of fields in the line of a thread, as proc(5) counts them.
const (
	stateField     = 3
	processorField = 39
)

// parseStat returns from the line of a thread in proc(5) its state and the processor on which it
// last was. The second field is a name in parentheses, which may have any characters.
func parseStat(line []byte) (state byte, processor uint32, ok bool) {
	at := len(line) - 1
	for at >= 0 && line[at] != ')' {
		at--
	}
	if at < 0 {
		return 0, 0, false
	}
	rest := line[at+1:]
	field := stateField - 1
	for i := 0; i+1 < len(rest); i++ {
		if rest[i] != ' ' {
			continue
		}
		switch field++; field {
		case stateField:
			state = rest[i+1]
		case processorField:
			processor, ok = parseDecimal(rest[i+1:])
			return state, processor, ok
		}
	}
	return 0, 0, false
}

// parseDecimal returns the number with which text begins. A number that the end of text may have
// cut off does not count.
func parseDecimal(text []byte) (n uint32, ok bool) {
	for i, c := range text {
		switch {
		case '0' <= c && c <= '9' && n < 1<<24:
			n = 10*n + uint32(c-'0')
		default:
			return n, i > 0 && (c == ' ' || c == '\n')
		}
	}
	return 0, false
}

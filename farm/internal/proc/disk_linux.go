package proc

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

const (
	diskVar  = "HEDDLE_PROC_DISK"
	bytesVar = "HEDDLE_PROC_DISK_BYTES"
)

// mount has a child begin in namespaces of its own, in which an ordinary user may mount.
func (s Start) mount(c *exec.Cmd) {
	if s.Disk == "" {
		return
	}
	c.Env = append(c.Env, diskVar+"="+s.Disk, fmt.Sprintf("%s=%d", bytesVar, s.DiskBytes))
	a := c.SysProcAttr
	a.Cloneflags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS
	a.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
	a.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
}

// mountDisk mounts what mount has made possible.
func mountDisk() error {
	dir := os.Getenv(diskVar)
	if dir == "" {
		return nil
	}
	err := syscall.Mount("heddle", dir, "tmpfs", 0, "size="+os.Getenv(bytesVar))
	if err != nil {
		return fmt.Errorf("mounting a file system in %s: %w", dir, err)
	}
	return nil
}

// GrowDisk gives the file system that a child was started with more room.
func (c *Child) GrowDisk(bytes int64) error {
	return syscall.Mount("heddle", os.Getenv(diskVar), "tmpfs", syscall.MS_REMOUNT,
		fmt.Sprintf("size=%d", bytes))
}

// Namespaces says whether this user may make the namespaces that Start.Disk needs. If not, the
// reason.
func Namespaces(dir string) error {
	c := exec.Command("/proc/self/exe", "-test.run=^$")
	c.Env = append(os.Environ(), roleVar+"=none")
	c.SysProcAttr = &syscall.SysProcAttr{}
	Start{Disk: dir, DiskBytes: 1 << 20}.mount(c)
	text, err := c.CombinedOutput()
	if strings.Contains(string(text), noRole) {
		return nil
	}
	return fmt.Errorf("proc: no namespaces: %s %w", text, err)
}

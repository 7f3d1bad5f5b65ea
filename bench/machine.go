package main

import (
	"bufio"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// A machine is where the figures come from.
type machine struct {
	cpu       string
	cores     int
	procs     int
	goVersion string
	system    string // system, architecture and kernel
	compiler  string // "" without the C++ peers
}

// thisMachine finds out what it can; what it cannot is left empty or said in general words.
func thisMachine(c *cpp) machine {
	m := machine{
		cpu:       cpuModel(),
		cores:     runtime.NumCPU(),
		procs:     runtime.GOMAXPROCS(0),
		goVersion: runtime.Version(),
		system:    runtime.GOOS + "/" + runtime.GOARCH,
	}
	if release := firstLine("uname", "-r"); release != "" {
		m.system += ", kernel " + release
	}
	if c.mode != cppOff {
		m.compiler = firstLine(c.compiler, "--version")
	}
	return m
}

// cpuModel reads the model's name where Linux has it.
func cpuModel() string {
	f, err := os.Open("/proc/cpuinfo")
	if err == nil {
		defer f.Close()
		for lines := bufio.NewScanner(f); lines.Scan(); {
			if name, value, ok := strings.Cut(lines.Text(), ":"); ok &&
				strings.TrimSpace(name) == "model name" {
				return strings.TrimSpace(value)
			}
		}
	}
	return "unknown " + runtime.GOARCH
}

// firstLine returns the first line that a command prints, or "".
func firstLine(name string, args ...string) string {
	out, err := exec.Command(name, args...).Output()
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return strings.TrimSpace(line)
}

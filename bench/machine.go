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
	CPU        string `json:"cpu"`
	Cores      int    `json:"cores"`
	GOMAXPROCS int    `json:"gomaxprocs"`
	Go         string `json:"go"`
	OS         string `json:"os"` // system, architecture and kernel
	Compiler   string `json:"compiler,omitempty"`
}

// thisMachine finds out what it can; what it cannot is left empty or said in general words.
func thisMachine(n *native) machine {
	m := machine{
		CPU:        cpuModel(),
		Cores:      runtime.NumCPU(),
		GOMAXPROCS: runtime.GOMAXPROCS(0),
		Go:         runtime.Version(),
		OS:         runtime.GOOS + "/" + runtime.GOARCH,
	}
	if release := firstLine("uname", "-r"); release != "" {
		m.OS += ", kernel " + release
	}
	if !n.off {
		m.Compiler = firstLine(n.compiler, "--version")
	}
	return m
}

// cpuModel reads the model's name where Linux has it.
func cpuModel() string {
	f, err := os.Open("/proc/cpuinfo")
	if err == nil {
		defer f.Close()
		for lines := bufio.NewScanner(f); lines.Scan(); {
			if name, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(name) == "model name" {
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

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
)

// A child is a running C++ program. It is asked by one goroutine at a time.
type child struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader

	mu   sync.Mutex
	busy bool // a job is under way
	gone bool // it has ended, or answered what nobody understands
}

// startChild starts a program, with a setting of its environment if that is not empty.
func startChild(path, setting string) (*child, error) {
	c := &child{cmd: exec.Command(path)}
	if setting != "" {
		c.cmd.Env = append(os.Environ(), setting)
	}
	var err error
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.out = bufio.NewReader(out)
	return c, c.cmd.Start()
}

// ask runs one job, "name key=value ...", and returns the numbers of the answer.
func (c *child) ask(job string) ([]int64, error) {
	if !c.setBusy(true) {
		return nil, errors.New("the C++ program is still at an earlier job")
	}
	if _, err := fmt.Fprintln(c.in, job); err != nil {
		c.end()
		return nil, fmt.Errorf("the C++ program is gone: %w", err)
	}
	line, err := c.out.ReadString('\n')
	if err != nil {
		c.end()
		return nil, fmt.Errorf("the C++ program is gone: %w", err)
	}
	c.setBusy(false)
	words := strings.Fields(line)
	if len(words) == 0 || words[0] != "ok" {
		return nil, fmt.Errorf("the C++ program says: %s", strings.TrimSpace(line))
	}
	numbers := make([]int64, len(words)-1)
	for i, word := range words[1:] {
		if numbers[i], err = strconv.ParseInt(word, 10, 64); err != nil {
			c.end()
			return nil, fmt.Errorf("the C++ program's answer: %w", err)
		}
	}
	return numbers, nil
}

// setBusy notes the state and reports whether that changed it.
func (c *child) setBusy(busy bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	changed := c.busy != busy
	c.busy = busy
	return changed
}

// end notes that the program cannot be asked any more.
func (c *child) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gone = true
}

// stuck reports whether the program is of no use any more.
func (c *child) stuck() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.busy || c.gone
}

// close lets the program end, or ends it if it is still at a job that nobody waits for. How it
// ended does not matter: an answer that it owed was missed already.
func (c *child) close() error {
	err := c.in.Close()
	if c.stuck() {
		_ = c.cmd.Process.Kill()
		err = nil
	}
	_ = c.cmd.Wait()
	return err
}

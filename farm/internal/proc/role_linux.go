package proc

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"sync"
	"syscall"
)

// Variables that tell a child what it is.
const (
	roleVar  = "HEDDLE_PROC_ROLE"
	nameVar  = "HEDDLE_PROC_NAME"
	limitVar = "HEDDLE_PROC_FILE_LIMIT"
)

const noRole = "there is no role"

// A Child is what a process that was started knows of itself.
type Child struct {
	Name string
	Args []string

	out sync.Mutex
	in  *bufio.Scanner
}

// A Role is what a child does. When it returns the process ends, and an error is written to its
// log.
type Role func(c *Child) error

// Main runs a role and ends the process, if the process was started with Nursery.Start. Otherwise
// it returns. TestMain calls it first.
func Main(roles map[string]Role) {
	role, ok := os.LookupEnv(roleVar)
	if !ok {
		return
	}
	c := &Child{Name: os.Getenv(nameVar), Args: os.Args[1:], in: bufio.NewScanner(os.Stdin)}
	err := mountDisk()
	if err == nil {
		err = limitFiles(os.Getenv(limitVar))
	}
	if run := roles[role]; err == nil && run == nil {
		err = fmt.Errorf("%s %q", noRole, role)
	} else if err == nil {
		err = run(c)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", c.Name, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// limitFiles makes writes fail that would make a file longer, as on a full disk.
func limitFiles(bytes string) error {
	if bytes == "" {
		return nil
	}
	n, err := strconv.ParseUint(bytes, 10, 64)
	if err != nil {
		return err
	}
	signal.Ignore(syscall.SIGXFSZ) // or it would end the process
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: n, Max: n})
}

// Say tells the parent a line. Any goroutine may call it.
func (c *Child) Say(line string) {
	c.out.Lock()
	defer c.out.Unlock()
	_, _ = fmt.Println(line) // the parent is dead, and so soon is the child
}

// Hear returns the next line from the parent, or io.EOF when it wants the child to end. One
// goroutine may call it at a time.
func (c *Child) Hear() (string, error) {
	if c.in.Scan() {
		return c.in.Text(), nil
	}
	if err := c.in.Err(); err != nil {
		return "", err
	}
	return "", io.EOF
}

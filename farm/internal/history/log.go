package history

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// MaxLine is how many bytes a record may take.
const MaxLine = 2048

// A Log appends records to a file. Several processes may have the same file open. Its methods may
// be called by any goroutine.
//
// The order of the lines is an order of events: if one Append has returned before another begins,
// in whatever processes, the lines stand in that order, because Linux appends under a lock of the
// file. So the judge needs no clock. A line is there once Append has returned, even if the process
// is killed at once; it need not survive the machine.
type Log struct {
	file    *os.File
	process string
}

// Open opens the file of a history for a process, and makes it if there is none.
func Open(path, process string) (*Log, error) {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, err
	}
	return &Log{file: f, process: process}, nil
}

// Append writes a record, of this process unless the record says another.
func (l *Log) Append(r Record) error {
	if r.Process == "" {
		r.Process = l.process
	}
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if len(line) > MaxLine {
		return fmt.Errorf("history: a record of %d bytes, at most %d", len(line), MaxLine)
	}
	// A line break goes before as well, so that a line that a killed process has not finished
	// spoils no other. One write, or lines of others come between.
	line = append(append([]byte{'\n'}, line...), '\n')
	n, err := l.file.Write(line)
	if err == nil && n < len(line) {
		err = io.ErrShortWrite
	}
	return err
}

// Close closes the file.
func (l *Log) Close() error { return l.file.Close() }

// Read returns the records of a file in order, and how many lines are unfinished, each of which a
// process was about when it was killed.
func Read(path string) (records []Record, torn int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	return read(f)
}

func read(from io.Reader) (records []Record, torn int, err error) {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 2*MaxLine)
	for lines.Scan() {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		var r Record
		if json.Unmarshal(line, &r) != nil {
			torn++
			continue
		}
		records = append(records, r)
	}
	return records, torn, lines.Err()
}

package columns

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/heddle-go/heddle/taskgraph"
)

// A block is some lines of the text, and the job of summarising them. It is used again once its
// task is complete.
type block struct {
	text    []byte
	columns []Summary
	event   taskgraph.Event // of its task
}

// Run makes a block the body of a task.
func (b *block) Run(*taskgraph.Context) error { return b.summarise() }

func (b *block) summarise() error {
	clear(b.columns)
	b.columns = b.columns[:0]
	for line := range bytes.Lines(b.text) {
		line = bytes.TrimRight(line, "\r\n")
		for i := 0; len(line) > 0; i++ {
			field, rest, _ := bytes.Cut(line, []byte{','})
			line = rest
			if len(b.columns) == i {
				b.columns = append(b.columns, Summary{})
			}
			if len(field) == 0 {
				continue
			}
			v, err := strconv.ParseFloat(string(field), 64)
			if err != nil {
				return fmt.Errorf("columns: column %d: %w", i+1, err)
			}
			b.columns[i].add(Summary{1, v, v, v})
		}
	}
	return nil
}

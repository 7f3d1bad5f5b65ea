package main

import (
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/heddle-go/heddle/internal/dev/cli"
)

// progressInterval is how often a bar is drawn at most.
const progressInterval = 50 * time.Millisecond

// A bar shows how far a command has come. A nil one shows nothing.
type bar struct{ b *progressbar.ProgressBar }

// newBar returns a bar if the call wants progress.
func newBar(call *cli.Call, what string, total int) *bar {
	if call.Progress == nil || total == 0 {
		return nil
	}
	return &bar{progressbar.NewOptions(total, progressbar.OptionSetWriter(call.Stderr),
		progressbar.OptionSetDescription(what), progressbar.OptionShowCount(),
		progressbar.OptionSetWidth(30), progressbar.OptionSetPredictTime(true),
		progressbar.OptionThrottle(progressInterval), progressbar.OptionClearOnFinish())}
}

// add says that one more is done.
func (b *bar) add() {
	if b != nil {
		_ = b.b.Add(1) // progress that cannot be written is none
	}
}

// clear takes the bar away.
func (b *bar) clear() {
	if b != nil {
		_ = b.b.Clear()
	}
}

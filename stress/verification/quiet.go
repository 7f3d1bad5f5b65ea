package main

import (
	"regexp"
	"strings"
)

// quiet are the pages that claim no protocol, and why: nothing that they say depends on an order of
// steps of several goroutines. A page that numbers the steps of something cannot be among them; it
// may say itself why there is no model, in a sentence that begins with noModel.
var quiet = map[string]string{
	"assets/README.md":                    "a tour; the protocols are on cycles.md and holds.md",
	"assets/build/README.md":              "a tour",
	"assets/features.md":                  "a comparison",
	"assets/figures.md":                   "figures",
	"assets/pipes/README.md":              "formats, each read by one goroutine",
	"contrib/ebiten/README.md":            "a tour",
	"contrib/gonum/README.md":             "figures of one loop for each operation",
	"contrib/heddlevet/README.md":         "an analysis of source",
	"contrib/prometheus/README.md":        "a tour",
	"farm/deploy.md":                      "how to run it",
	"farm/figures.md":                     "figures",
	"farm/security.md":                    "who is trusted",
	"taskgraph/internal/counts/README.md": "a list; the protocols are on idlecount.md and tally.md",
	"taskgraph/internal/pace/README.md":   "the state of one run at a time",
	"taskgraph/trace/export/README.md":    "formats of a snapshot",
}

// noModel begins the sentence in which a page says why it has none.
const noModel = "There is no model"

// A step is a numbered one in a list, unless that is one of links, or in a table.
var step = regexp.MustCompile(`(?m)^(\d+\. [^\[]|(\| |- )\**[A-Z]{1,3}\d+[a-z]?\**[ :.])`)

// claim is what a page without a model says of that.
type claim uint8

const (
	needsModel claim = iota
	isQuiet          // it is among quiet
	saysWhy          // it says why it has none
)

func claimOf(page, text string) claim {
	switch {
	case quiet[page] != "":
		return isQuiet
	case strings.Contains(strings.Join(strings.Fields(text), " "), noModel):
		return saysWhy
	}
	return needsModel
}

package main

import (
	"fmt"
	"strings"
)

// tableHead comes before the table.
const tableHead = "# What found each specimen\n\n" +
	"Made by `go run ./stress/zoo -table stress/zoo/table.md`. The preemptions are those of the " +
	"schedule\nthat was found, not the fewest; the execution is counted over all explorers of its " +
	"program.\n\n"

// alsoOrdinary says of a specimen that its header "ordinary" is right.
const alsoOrdinary = "the ordinary tests"

// table returns the verdicts as a page in markdown.
func table(verdicts []verdict) string {
	var b strings.Builder
	b.WriteString(tableHead)
	b.WriteString("| structure | specimen | what is wrong | found by | execution | preemptions |\n")
	b.WriteString("|---|---|---|---|---|---|\n")
	for _, v := range verdicts {
		by, execution, preemptions := "not found", "", ""
		switch {
		case v.native && v.good && v.s.ordinary != "":
			by = alsoOrdinary
		case v.native && v.good:
			by = "passes natively"
		case v.native:
			by = v.why
		case v.good && v.found.Engine == "":
			by = v.found.Kind
		case v.good:
			by = v.found.Engine
			execution, preemptions = fmt.Sprint(v.found.Execution), fmt.Sprint(v.found.Preemptions)
		}
		if !v.native && v.s.ordinary != "" {
			by += ", and " + alsoOrdinary
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", v.s.structure, v.s.name,
			cell(v.s.what), cell(by), execution, preemptions)
	}
	return b.String()
}

// cell keeps a text inside its column.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ").Replace(text)
}

package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// The test program is the command where the go command calls it.
func TestMain(m *testing.M) {
	if last := os.Args[len(os.Args)-1]; last == "-V=full" || last == "-flags" ||
		strings.HasSuffix(last, ".cfg") {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestPackages(t *testing.T) {
	for line, want := range map[string]bool{
		"./...": true, "-selfwait ./...": true, "-fix ./a ./b": true, "help": false,
		"help selfwait": false, "-V=full": false, "-flags": false, "vet.cfg": false,
		"-selfwait vet.cfg": false, "-h": false,
	} {
		if got := packages(strings.Fields(line)); got != want {
			t.Errorf("%s: got %v, want %v", line, got, want)
		}
	}
}

// A person who names packages gets the findings in them.
func TestVet(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the packages that Heddle consists of")
	}
	t.Chdir("../../testdata")
	var out, errs bytes.Buffer
	if got := vet([]string{"./selfwait"}, &out, &errs); got != 1 {
		t.Errorf("exit status %d, want 1", got)
	}
	if !strings.Contains(errs.String(), ".go:") {
		t.Errorf("no finding: %s", errs.String())
	}
	if vet([]string{"./no-such-package"}, &out, &errs) == 0 {
		t.Error("a package that does not exist is no failure")
	}
}

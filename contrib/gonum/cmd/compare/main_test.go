package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/heddle-go/heddle/internal/dev/cli"
)

// called runs the command.
func called(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	status = command().Run(t.Context(), args, &out, &errs)
	return status, out.String(), errs.String()
}

// TestTable is that each operation runs in each way, and gives a row with a figure for each.
func TestTable(t *testing.T) {
	status, out, errs := called(t, "-sizes", "65,130", "-for", "1ms", "-rounds", "1")
	require.Equal(t, cli.OK, status, errs)
	parts := strings.Split(strings.TrimSpace(out), "\n\n")
	require.Len(t, parts, 3)
	rows := strings.Split(parts[1], "\n")[2:]
	require.Len(t, rows, 2*len(operations))
	for i, op := range operations {
		require.Contains(t, rows[2*i], "| "+op.name+" | 65 |")
		require.Contains(t, rows[2*i+1], "| "+op.name+" | 130 |")
	}
	for _, row := range rows {
		require.Equal(t, 10, strings.Count(row, "|"), row)
	}
	require.Regexp(t, `^Compared with gonum on one goroutine, Heddle was faster in \d+ of 28 `+
		`rows.*\nCompared with gonum, Heddle was .*\nCompared with fork-join, Heddle was faster in `+
		`\d+ of 12 rows.*\nOne and the same work took up to `, parts[2])
}

// TestConclusion is that a run says where Heddle is ahead, level and behind.
func TestConclusion(t *testing.T) {
	var c conclusion
	c.add(row{op: "A/A", n: 8, over: []float64{0.8, 1.1, 1}})
	c.add(row{op: "gemm NN", n: 8, over: []float64{2, 1.01, 1}})
	c.add(row{op: "potrf L", n: 8, over: []float64{0.5, 1.5, 1, 1.2}})
	require.Equal(t, "Compared with gonum on one goroutine, Heddle was faster in 1 of 2 rows and "+
		"slower in 1: potrf L with n = 8 (2.00 times as long).\n"+
		"Compared with gonum, Heddle was faster in 1 of 2 rows, level (within 3 %) in 1 and slower "+
		"in none.\nCompared with fork-join, Heddle was faster in 1 of 1 row and slower in none.\n"+
		"One and the same work took up to 1.25 times as long in this run: differences below that "+
		"are noise.\n", c.text())
}

func TestArguments(t *testing.T) {
	for _, args := range []string{"-sizes 0", "-sizes a", "-ops none", "-rounds 0", "-workers -1",
		"-workers 257", "-for 0s"} {
		status, _, errs := called(t, strings.Fields(args)...)
		require.Equal(t, cli.Failed, status, args)
		require.Equal(t, 1, strings.Count(errs, "\n"), errs)
	}
	for _, args := range []string{"more", "-rounds many", "-none"} {
		status, _, _ := called(t, strings.Fields(args)...)
		require.Equal(t, cli.Usage, status, args)
	}
}

// TestSerial is that the serial products that the others are compared with are gonum's.
func TestSerial(t *testing.T) {
	const n = 130
	for _, tA := range []blas.Transpose{blas.NoTrans, blas.Trans} {
		for _, tB := range []blas.Transpose{blas.NoTrans, blas.Trans} {
			a, b, got, want := random(n*n), random(n*n), random(n*n), random(n*n)
			serial{}.Dgemm(tA, tB, n, n, n, 2, a, n, b, n, 0.5, got, n)
			gonum.Implementation{}.Dgemm(tA, tB, n, n, n, 2, a, n, b, n, 0.5, want, n)
			require.Equal(t, want, got, "%c%c", tA, tB)
		}
	}
}

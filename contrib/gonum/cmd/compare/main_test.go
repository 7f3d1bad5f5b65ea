package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// TestTable is that each operation runs in each way, and gives a row with a figure for each.
func TestTable(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run([]string{"-sizes", "65,130", "-for", "1ms", "-rounds", "1"}, &out))
	rows := strings.Split(strings.TrimSpace(out.String()), "\n")[4:]
	require.Len(t, rows, 2*len(operations))
	for i, op := range operations {
		require.Contains(t, rows[2*i], "| "+op.name+" | 65 |")
		require.Contains(t, rows[2*i+1], "| "+op.name+" | 130 |")
	}
	for _, row := range rows {
		require.Equal(t, 10, strings.Count(row, "|"), row)
	}
}

func TestArguments(t *testing.T) {
	for _, args := range []string{"-sizes 0", "-sizes a", "-ops none", "-rounds 0", "-workers -1",
		"more"} {
		require.Error(t, run(strings.Fields(args), new(strings.Builder)), args)
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

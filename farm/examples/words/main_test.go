package main

import (
	"bytes"
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/farm"
)

// The test program is the worker, too.
func TestMain(m *testing.M) {
	farm.WorkerMain(wordJobs())
	os.Exit(m.Run())
}

// The same words are counted in one process and by three worker processes.
func TestWords(t *testing.T) {
	for _, workers := range []int{0, 3} {
		var out bytes.Buffer
		require.NoError(t, run(context.Background(), wordJobs(), workers, 40, &out))
		require.Equal(t, "122340 words in 40 texts\n", out.String())
	}
}

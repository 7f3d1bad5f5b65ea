package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/dev/cli"
	_ "github.com/heddle-go/heddle/internal/dev/short"
)

func TestUsage(t *testing.T) {
	for _, args := range [][]string{
		{"-ways", "none"}, {"-serve", "none"}, {"-workers", "0"}, {"-turns", "0"}, {"-for", "0s"},
		{"-clicks", "0"}, {"-batch", "101"},
	} {
		var out, errors bytes.Buffer
		require.NotEqual(t, cli.OK, command().Run(t.Context(), args, &out, &errors), args)
		require.Contains(t, errors.String(), args[1], args)
	}
}

package traces

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/taskgraph/trace"
)

func TestFormat(t *testing.T) {
	s := trace.New(trace.Options{}).Snapshot()
	for name, isJSON := range map[string]bool{"a.json": true, "dir.json/a.pb": false} {
		write, err := Format("trace", name)
		require.NoError(t, err, name)
		var b bytes.Buffer
		require.NoError(t, write(&b, s), name)
		require.NotEmpty(t, b.Bytes(), name)
		require.Equal(t, isJSON, json.Valid(b.Bytes()), name)
	}
	for _, name := range []string{"", "a", "a.pb.gz", "json"} {
		_, err := Format("trace", name)
		require.EqualError(t, err, "-trace "+name+": want a name that ends in .json or .pb")
	}
}

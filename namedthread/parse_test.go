package namedthread_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/namedthread"
)

// TestParseIDAll takes every request there is through its text.
func TestParseIDAll(t *testing.T) {
	seen := map[string]bool{}
	for word := range uint32(1 << 13) {
		id := namedthread.ID(word)
		text := id.String()
		require.False(t, seen[text], text)
		seen[text] = true
		back, err := namedthread.ParseID(text)
		if !id.Valid() {
			require.ErrorIs(t, err, namedthread.ErrID)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, id, back)
	}
}

func TestParseIDErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "want index/queue/priority/thread priority",
		"3":                          "want index/queue/priority/thread priority",
		"3/main/high/normal/":        "want index/queue/priority/thread priority",
		"/main/high/normal":          `index "" is neither any nor 0 to 253`,
		"254/main/high/normal":       `index "254" is neither`,
		"03/main/high/normal":        `index "03" is neither`,
		"+3/main/high/normal":        `index "+3" is neither`,
		"Any/main/high/normal":       `index "Any" is neither`,
		"3/Main/high/normal":         `queue "Main" is neither main nor local`,
		"3/main/highest/normal":      `priority "highest" is neither high nor normal`,
		"any/local/normal/important": `thread priority "important" is none of low, normal, high and highest`,
		"ID(0xfe)":                   "want index",
	} {
		_, err := namedthread.ParseID(text)
		require.ErrorIs(t, err, namedthread.ErrID)
		require.ErrorContains(t, err, want)
	}
}

func FuzzParseID(f *testing.F) {
	for _, seed := range []string{"3/main/high/normal", "any/local/normal/lowest", "0/main/normal/low", "//", "253/local/high/highest", "ID(0x1000)"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		id, err := namedthread.ParseID(text)
		if err != nil {
			require.ErrorIs(t, err, namedthread.ErrID)
			return
		}
		require.True(t, id.Valid())
		require.Equal(t, text, id.String(), "one text stands for one ID")
	})
}

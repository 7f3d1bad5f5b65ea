package namedthread_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/namedthread"
)

// TestParseIDAll takes every request there is through its text.
func TestParseIDAll(t *testing.T) {
	seen := map[string]bool{}
	for word := range uint32(3 << 12) {
		id := namedthread.ID(word)
		if word>>12 == 2 { // the last generation
			id |= 0xfffff << 12
		}
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
		"3#/main/high/normal":        `generation "" is not 1 to 1048575`,
		"3#0/main/high/normal":       `generation "0" is not`,
		"3#01/main/high/normal":      `generation "01" is not`,
		"3#1#1/main/high/normal":     `generation "1#1" is not`,
		"3#1048576/main/high/normal": `generation "1048576" is not`,
		"#1/main/high/normal":        `index "" is neither`,
		"any#1/main/high/normal":     `index "any" is neither`,
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
	for _, seed := range []string{"3/main/high/normal", "any/local/normal/lowest",
		"0/main/normal/low", "//", "253/local/high/highest", "3#1048575/main/low/low",
		"ID(0x1000)"} {
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

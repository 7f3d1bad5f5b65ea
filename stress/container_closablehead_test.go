package stress_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/lockfree"
)

// A ClosableHead is a list that is emptied when its generation ends.
func TestContainerClosableHead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h lockfree.ClosableHead
		words := make(map[uint32]*uint32)
		next := func(link uint32) *uint32 { return words[link] }
		gen := rapid.Uint32().Draw(t, "first generation")
		h.Swap(gen, true)
		var model []uint32
		closed := false
		take := func(t *rapid.T, list uint32, ok bool) {
			require.Equal(t, !closed, ok)
			var links []uint32
			for link := lockfree.ReverseLinks(list, next); link != 0; link = *words[link] {
				links = append(links, link)
			}
			require.Equal(t, model, links)
			model = nil
		}
		t.Repeat(map[string]func(*rapid.T){
			"": func(t *rapid.T) {
				now, open := h.State()
				require.Equal(t, gen, now)
				require.Equal(t, !closed, open)
				require.Equal(t, open, h.Open(gen))
			},
			"TryPush": func(t *rapid.T) {
				link := rapid.Uint32Range(1, lockfree.MaxLink).Draw(t, "link")
				if slices.Contains(model, link) {
					return
				}
				words[link] = new(uint32)
				ok := h.TryPush(gen, link, words[link])
				require.Equal(t, !closed, ok)
				if ok {
					model = append(model, link)
				}
			},
			"late": func(t *rapid.T) {
				other := gen + rapid.Uint32Min(1).Draw(t, "off")
				var word uint32
				require.False(t, h.TryPush(other, 1, &word))
				_, ok := h.Next(other)
				require.False(t, ok)
				_, ok = h.Close(other)
				require.False(t, ok)
			},
			"Next": func(t *rapid.T) {
				list, ok := h.Next(gen)
				take(t, list, ok)
				if ok {
					gen++
				}
			},
			"Swap": func(t *rapid.T) {
				list := h.Swap(gen+1, true)
				take(t, list, !closed)
				gen, closed = gen+1, false
			},
			"Close": func(t *rapid.T) {
				if rapid.IntRange(0, 9).Draw(t, "seldom") > 0 {
					return
				}
				list, ok := h.Close(gen)
				take(t, list, ok)
				closed = true
			},
		})
	})
}

package cacheline

// A Courtesy says whether it pays to leave others a moment before one looks at what they write: a
// look takes the line from them, and after a moment there is more to be found by one. It pays as
// long as there was more the last time; and if not, because nobody is there, or both sides are the
// same goroutine, it is tried again from time to time. It belongs to one goroutine, and the zero
// value is hopeful.
type Courtesy struct{ skip, rare uint32 }

// Due reports whether a pause may pay. Whoever pauses then tells Learn what came of it.
func (c *Courtesy) Due() bool {
	if c.skip == 0 {
		return true
	}
	c.skip--
	return false
}

// Learn says whether a pause has paid. After each that has not, more looks go without one, so many
// at most.
func (c *Courtesy) Learn(paid bool, most uint32) {
	if paid {
		c.rare = 0
		return
	}
	c.rare = min(2*c.rare+1, most)
	c.skip = c.rare
}

package patience

// A Patience is what one caller knows of the pauses before its looks. It pauses before each as long
// as that pays, and rarely if it does not: because nobody is there, or both sides are the same
// goroutine. The zero Patience has the caller pause.
type Patience struct{ skip, rare uint32 }

// Pays reports whether the caller is to pause before this look, and Learn whether it did.
func (p *Patience) Pays() bool {
	if p.skip > 0 {
		p.skip--
		return false
	}
	return true
}

// Learn says whether the pause paid. If it did not, the caller does without for twice as many looks as
// before, and for at most so many.
func (p *Patience) Learn(paid bool, most uint32) {
	if paid {
		p.rare = 0
		return
	}
	p.rare = min(2*p.rare+1, most)
	p.skip = p.rare
}

package scene

// A Library is whoever has props for the sites of a scene. All calls but Take may come from any
// thread, those of one site in order.
type Library interface {
	// Ask asks for a prop, by its number, from this frame on. Near is how far the site is from the
	// camera.
	Ask(site, prop int, near float32)
	// Rank says anew how far the site is.
	Rank(site int, near float32)
	// Drop gives back what was asked for, whether it has come or not.
	Drop(site int)
	// Take returns what was asked for at least LoadTime frames ago, or nil if it cannot be had. It
	// is called between frames.
	Take(site int) *Prop
}

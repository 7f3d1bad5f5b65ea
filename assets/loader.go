package assets

// A Loader brings items to their values. The standard one is a Pipeline. One Loader may serve
// several managers. Its methods may be called by any goroutine, return at once and must not panic.
type Loader interface {
	// Load begins to load an item and calls Item.Done once when it has ended. When the children are
	// known it calls Item.Await, at most once, and does not go on before it is called back.
	Load(it *Item)
	// Promote is called when Item.Priority has risen. The item may be done meanwhile.
	Promote(it *Item)
}

package assets

// An Item is a resource on its way through the pipes. One pipe at a time has it; what a pipe did
// happens before the next one begins. Pipes read and write the fields, which are empty at first,
// but for those of the first group.
type Item struct {
	ID       ID
	Platform Platform
	Registry Registry // of the manager that loads it

	// GUID and Info say what is known of it; Info.Type chooses its TypeRule.
	GUID GUID
	Info Info
	// Variant is what is to be loaded here and now: Variant.Path says where the bytes are, the
	// scheme of a URL by whom they are fetched, Variant.Format how they are decoded.
	Variant Variant

	// Data is the bytes that were fetched. A pipe that is done with them sets it to nil.
	Data []byte
	// Value is what the bytes were decoded to, and what becomes of the resource in the end. If it
	// is an io.Closer, it is closed when the resource is unloaded or fails later on.
	Value any
	// Size is how many bytes of memory Value takes, for the budget of what is kept. Default:
	// the length of Data after decoding, or Variant.Size.
	Size int64
	// Children are the resources that it depends on. They are looked at by the pipe of
	// Dependencies. Doubles do not matter.
	Children []ID
	// Keep is how long the resource stays; the default is that of its TypeRule.
	Keep Keep
}

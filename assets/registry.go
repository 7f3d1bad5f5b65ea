package assets

import "iter"

// A Registry knows what resources there are. NewMemory returns one that keeps it in memory.
//
// All methods may be called by any goroutine. GUID and Info are called for each load and by
// programs thousands of times a frame: they take no lock and do not block. A Put or Delete happens
// before whatever finds what it put, or no longer finds what it deleted. Nobody may change the
// Variants of an Info that was put or returned.
type Registry interface {
	// GUID returns the GUID of the resource with that ID.
	GUID(id ID) (GUID, bool)
	// Info returns what is known of a resource.
	Info(g GUID) (Info, bool)
	// Put adds resources, or changes what is known of those whose GUIDs are there. A zero GUID
	// stands for MakeGUID of the ID. An ID that another resource has goes over to the new one.
	// After an error some may have been put, each of them whole or not at all.
	Put(infos ...Info) error
	// Delete removes resources. Those that are not there are left out.
	Delete(guids ...GUID) error
	// All yields all resources in no certain order. Those that come and go meanwhile may be
	// missed.
	All() iter.Seq[Info]
}

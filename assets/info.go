package assets

// A Platform is what resources are loaded for, such as "linux-desktop" or "android-low". The names
// are the program's own; "" is a platform like any other.
type Platform string

// An Info is what a Registry knows of a resource.
type Info struct {
	ID   ID
	GUID GUID
	// Path is where the bytes are: a path with slashes below the root of what fetches it, or a URL.
	// For a part of another resource it is that one's.
	Path   string
	Hash   Hash   // of the bytes; zero: not known
	Type   string // what it is for the program: "texture", "model"
	Format string // how its bytes are to be read: "png", "glb"
	Size   int64  // of the bytes; 0: not known
	Parent GUID   // of the resource that it is a part of; zero: none
	Sub    bool   // it has no bytes of its own: they are the parent's

	// Variants are what takes the place of the above on certain platforms.
	Variants []Variant
}

// A Variant is what a resource is on one platform.
type Variant struct {
	Platform Platform
	API      string // what it is built for, such as "vulkan"; for the pipes to heed
	Path     string
	Hash     Hash
	Format   string
	Size     int64
}

// On returns the variant for a platform. Where there is none it is what Info itself says.
func (i *Info) On(p Platform) Variant {
	for _, v := range i.Variants {
		if v.Platform == p {
			return v
		}
	}
	return Variant{Platform: p, Path: i.Path, Hash: i.Hash, Format: i.Format, Size: i.Size}
}

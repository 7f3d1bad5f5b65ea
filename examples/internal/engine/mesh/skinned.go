package mesh

// A Skinned is a mesh whose vertices follow up to four joints each. Pos and Nrm are those of
// the bind pose. The weights of a vertex are not negative and add up to 1; a joint of weight 0
// may be any that exists.
type Skinned struct {
	Mesh
	Joint  [][4]uint16
	Weight [][4]float32
}

package scene

// A Class says what an object has to do with the simulation.
type Class uint8

// The classes.
const (
	NoClass        Class = iota // not alive, or a group
	ClassInput                  // the simulation reads it
	ClassSimulated              // the simulation writes it
	ClassDependent              // it reads what the simulation writes
	ClassUnrelated              // neither
)

// An Input is an object that the simulation reads: it has a body on rails.
type Input struct {
	ID   ID
	Kind Kind // Engine or Figure
	Slot int32
	Body int32
}

// A Simulated is an object that the simulation moves.
type Simulated struct {
	ID   ID
	Body int32
}

// A Dependent is an object that is fixed to a simulated one, directly or through another
// dependent.
type Dependent struct {
	ID   ID
	Kind Kind
	Slot int32
	Body int32 // what it is fixed to, if directly; else 0
}

// An Unrelated is an object that neither gives to the simulation nor takes from it. If it is fixed
// to an input, that is complete before the simulation begins. A patch may be fixed to a figure that
// is unrelated.
type Unrelated struct {
	ID   ID
	Kind Kind
	Slot int32
}

// A Partition is the lists of objects by class, each in the order of IDs but for what is said.
type Partition struct {
	Inputs    []Input
	Simulated []Simulated
	// Dependents are in chains. Chain c is Dependents[Chains[c]:Chains[c+1]]: one that is fixed
	// to a body, and those fixed to one before them in the chain.
	Dependents []Dependent
	Chains     []int32
	// Unrelated is in order of Kind, and then of ID. Patches come after all
	// figures.
	Unrelated []Unrelated
	kindStart [kinds + 1]int32
	// Apart is the slots of the figures that are inputs or unrelated: their looks are complete
	// before the simulation is.
	Apart []int32
}

func newPartition(n int) Partition {
	return Partition{
		Inputs: make([]Input, 0, n), Simulated: make([]Simulated, 0, n),
		Dependents: make([]Dependent, 0, n), Chains: make([]int32, 0, n+1),
		Unrelated: make([]Unrelated, 0, n), Apart: make([]int32, 0, n),
	}
}

// ChainCount returns the number of chains of dependents.
func (p *Partition) ChainCount() int { return len(p.Chains) - 1 }

// UnrelatedOf returns where in Unrelated the objects of a kind are.
func (p *Partition) UnrelatedOf(k Kind) (lo, hi int) {
	return int(p.kindStart[k]), int(p.kindStart[k+1])
}

// Classify states the class of every object and makes the lists. It is needed after objects
// were born or died, and sequential.
func (s *Scene) Classify() {
	o, p := &s.Objects, &s.Part
	for i := range o.Alive {
		o.Class[i] = s.classOf(ID(i))
	}
	p.Inputs, p.Simulated, p.Dependents = p.Inputs[:0], p.Simulated[:0], p.Dependents[:0]
	p.Chains, p.Unrelated = p.Chains[:0], p.Unrelated[:0]
	for i, c := range o.Class {
		switch c {
		case ClassInput:
			p.Inputs = append(p.Inputs, Input{ID(i), o.Kind[i], o.Slot[i], o.Body[i]})
		case ClassSimulated:
			p.Simulated = append(p.Simulated, Simulated{ID(i), o.Body[i]})
		case ClassDependent:
			if on := o.On[i]; o.Class[on] == ClassSimulated {
				p.Chains = append(p.Chains, int32(len(p.Dependents)))
				p.Dependents = append(p.Dependents,
					Dependent{ID(i), o.Kind[i], o.Slot[i], o.Body[on]})
				s.chain(ID(i))
			}
		}
	}
	p.Chains = append(p.Chains, int32(len(p.Dependents)))
	for k := range kinds {
		p.kindStart[k] = int32(len(p.Unrelated))
		for i, c := range o.Class {
			if c == ClassUnrelated && o.Kind[i] == k {
				p.Unrelated = append(p.Unrelated, Unrelated{ID(i), k, o.Slot[i]})
			}
		}
	}
	p.kindStart[kinds] = int32(len(p.Unrelated))
	p.Apart = p.Apart[:0]
	for i, c := range o.Class {
		if o.Kind[i] == Figure && (c == ClassInput || c == ClassUnrelated) {
			p.Apart = append(p.Apart, o.Slot[i])
		}
	}
	s.dirty = false
}

// chain appends what is fixed to a dependent.
func (s *Scene) chain(on ID) {
	o := &s.Objects
	for i := range o.Alive {
		if o.Alive[i] && o.On[i] == on {
			s.Part.Dependents = append(s.Part.Dependents, Dependent{ID(i), o.Kind[i], o.Slot[i], 0})
			s.chain(ID(i))
		}
	}
}

// classOf states the class of one object by what it is and what it is fixed to.
func (s *Scene) classOf(i ID) Class {
	o := &s.Objects
	switch {
	case !o.Alive[i] || o.Kind[i] == Group:
		return NoClass
	case o.Kind[i] == Thing:
		return ClassSimulated
	case o.Body[i] != 0 && o.Kind[i] != Stone:
		return ClassInput
	case o.On[i] != None:
		if c := s.classOf(o.On[i]); c == ClassSimulated || c == ClassDependent {
			return ClassDependent
		}
	}
	return ClassUnrelated
}

package taskgraph

// noteSite keeps where e was made: the place of the call into this package.
func (s *System) noteSite(e Event) {
	if s.opts.Sites && e.Store() == s.store {
		s.sites.Note(uint32(e.Node()), refOf(e), 2)
	}
}

func (s *System) siteOf(e Event) string { return s.sites.Of(uint32(e.Node()), refOf(e)) }

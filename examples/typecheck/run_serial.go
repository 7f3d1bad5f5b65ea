package main

// runSerial checks the packages one after the other, on the calling goroutine.
func runSerial(p *pass) error {
	for i := range p.g.pkgs {
		if cause := p.blocked(i); cause != nil {
			p.results[i].cause = cause
			continue
		}
		_ = p.check(i) // noted in the result
	}
	return nil
}

package main

// runGoroutines checks the packages as a Go programmer would without a task graph: one
// goroutine a package, which first waits for the done-channel of every import.
func runGoroutines(p *pass) error {
	done := make([]chan struct{}, len(p.g.pkgs))
	for i := range done {
		done[i] = make(chan struct{})
	}
	for i := range p.g.pkgs {
		go func() {
			defer close(done[i])
			for _, imp := range p.g.pkgs[i].imports {
				<-done[imp]
			}
			if cause := p.blocked(i); cause != nil {
				p.results[i].cause = cause
				return
			}
			_ = p.check(i) // noted in the result
		}()
	}
	for _, d := range done {
		<-d
	}
	return nil
}

package frame

import "time"

// A clock tells the time, and waits.
type clock struct {
	now   func() time.Time
	sleep func(time.Duration)
}

var wallClock = clock{time.Now, time.Sleep}

// A pace is equal times, at which frames begin and by which the frames before them must be done. A
// frame that is late makes the next one begin late, not the times.
type pace struct {
	clock
	fps    int // 0: frames begin at once, and have no deadline
	begin  time.Time
	begun  int // frames
	missed int // deadlines
}

// start makes the next frame the first of a row, which begins now.
func (p *pace) start() { p.begin, p.begun = p.now(), 0 }

// await waits until the next frame is due.
func (p *pace) await() {
	if p.fps > 0 {
		if early := p.due().Sub(p.now()); early > 0 {
			p.sleep(early)
		}
	}
	p.begun++
}

// done notes that the frame is done.
func (p *pace) done() {
	if p.fps > 0 && p.now().After(p.due()) {
		p.missed++
	}
}

// due returns when the next frame begins.
func (p *pace) due() time.Time {
	return p.begin.Add(time.Duration(p.begun) * time.Second / time.Duration(p.fps))
}

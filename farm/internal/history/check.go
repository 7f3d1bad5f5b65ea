package history

import "fmt"

// Rules say what must hold beyond what always must.
type Rules struct {
	// Want says what a serial run of the job makes of a key: its result, or, where it fails, false.
	Want func(key string) (result string, ok bool)

	// MaxRuns is how often a key may begin at most, and 0 means as often as it likes. At least
	// once is the promise of a queue; a job that nobody can do must end all the same.
	MaxRuns func(key string) int

	// MayFail says of the End of a run that has failed that it may, though a serial run succeeds:
	// another one will do it. Nil is never.
	MayFail func(end Record) bool

	// Torn is how many lines Read has found unfinished. No more than processes have been killed.
	Torn int
}

// A Verdict is what a history comes to.
type Verdict struct {
	Wrong []string // what must not be: the first hundred. None is a good history.
	More  int      // how many there are beyond

	Calls     int // that somebody wanted
	Submitted int // over all lives of clients
	Completed int // over all lives of clients
	Failed    int // of these
	Keys      int // different work
	Runs      int // that have begun
	Repeated  int // of these: their key had begun before
	Late      int // of these: a client had the result already
	Cut       int // of these: they never ended, for their process was killed
	Counted   int // results of runs that are known to be those that count
	Killed    int // processes
}

// Err returns nil if nothing is wrong.
func (v *Verdict) Err() error {
	if len(v.Wrong) == 0 {
		return nil
	}
	return fmt.Errorf("%d violations, the first: %s", len(v.Wrong)+v.More, v.Wrong[0])
}

func (v *Verdict) String() string {
	return fmt.Sprintf("%d calls of %d keys: %d submitted, %d completed (%d failed), %d runs (%d "+
		"repeated, %d late, %d cut off, %d counted), %d processes killed, %d violations", v.Calls, v.Keys,
		v.Submitted, v.Completed, v.Failed, v.Runs, v.Repeated, v.Late, v.Cut,
		v.Counted, v.Killed,
		len(v.Wrong)+v.More)
}

// In the life of one client a call is one of these.
type state uint8

const (
	unknown state = iota
	submitted
	completed
)

type submission struct{ process, call string }

type run struct {
	process string
	n       int64
}

// A judge reads a history once, in order. What it keeps is by call, key and process.
type judge struct {
	Verdict
	rules Rules

	calls   map[string]string    // the key of each call
	lives   map[submission]state // what each life of a client has made of a call
	order   []submission         // the same, as they came
	done    map[string]bool      // calls that have completed in some life
	first   map[string]bool      // keys that somebody has submitted
	begun   map[string]int       // how often each key has begun
	open    map[run]string       // the key of each run that has not ended
	ended   map[run]bool
	results map[string]map[outcome]bool // what the runs of a key have ended with
	known   map[string]bool             // keys whose result some client has had
	made    map[string]bool             // results of runs
	counted map[string]bool             // what of a result counts, by the name the farm gives it
	dead    map[string]bool
}

type outcome struct {
	result string
	failed bool
}

// Check judges a history. What must hold:
//
//  1. A client submits a call once in a life, and it completes once in that life. It need not, if
//     the client was killed; but in some life of some client each call completes.
//  2. A completion comes after its submission, and after a run of the same key has ended with just
//     that outcome. Nothing completes that nobody submitted, and nothing that nobody ran.
//  3. The outcome of each completion and of each run is what the rules want.
//  4. A run begins after somebody has submitted its key. It ends at most once, as the key that it
//     began as; it need not end, if its process was killed. How often a key begins is limited by
//     the rules only.
//  5. Of all results of a piece of work one counts, at most once, and a run has ended with it.
//     Who is killed may have no time to say so. Its key is the farm's own.
//  6. Who was killed writes nothing afterwards.
func Check(records []Record, rules Rules) *Verdict {
	j := &judge{rules: rules, calls: map[string]string{}, lives: map[submission]state{},
		done: map[string]bool{}, first: map[string]bool{}, begun: map[string]int{},
		open: map[run]string{}, ended: map[run]bool{}, results: map[string]map[outcome]bool{},
		known: map[string]bool{}, made: map[string]bool{},
		counted: map[string]bool{}, dead: map[string]bool{}}
	for i, r := range records {
		if j.dead[r.Process] {
			j.wrong("record %d is of %s, which is dead: %+v", i, r.Process, r)
		}
		switch r.Kind {
		case Submit:
			j.submit(r)
		case Begin:
			j.begin(r)
		case End:
			j.end(r)
		case Complete:
			j.complete(r)
		case Counted:
			j.count(r)
		case Killed:
			j.dead[r.Process] = true
			j.Killed++
		default:
			j.wrong("record %d is of no known kind: %+v", i, r)
		}
	}
	j.close()
	return &j.Verdict
}

func (j *judge) wrong(format string, args ...any) {
	if len(j.Wrong) == 100 {
		j.More++
		return
	}
	j.Wrong = append(j.Wrong, fmt.Sprintf(format, args...))
}

func (j *judge) submit(r Record) {
	s := submission{r.Process, r.Call}
	if j.lives[s] != unknown {
		j.wrong("call %s is submitted again by %s", r.Call, r.Process)
		return
	}
	key, known := j.calls[r.Call]
	if known && key != r.Key {
		j.wrong("call %s is submitted as %s, and was %s", r.Call, r.Key, key)
	}
	j.Submitted++
	j.calls[r.Call], j.lives[s], j.first[r.Key] = r.Key, submitted, true
	j.order = append(j.order, s)
}

func (j *judge) begin(r Record) {
	at := run{r.Process, r.Run}
	_, open := j.open[at]
	if open || j.ended[at] {
		j.wrong("run %d of %s begins twice", r.Run, r.Process)
		return
	}
	if !j.first[r.Key] {
		j.wrong("%s runs %s, which nobody has submitted", r.Process, r.Key)
	}
	j.Runs++
	if j.begun[r.Key]++; j.begun[r.Key] > 1 {
		j.Repeated++
	}
	if j.known[r.Key] {
		j.Late++
	}
	if j.rules.MaxRuns != nil {
		if limit := j.rules.MaxRuns(r.Key); limit > 0 && j.begun[r.Key] > limit {
			j.wrong("%s begins for the %d. time, at most %d", r.Key, j.begun[r.Key], limit)
		}
	}
	j.open[at] = r.Key
}

func (j *judge) end(r Record) {
	at := run{r.Process, r.Run}
	key, open := j.open[at]
	switch {
	case !open && j.ended[at]:
		j.wrong("run %d of %s ends twice", r.Run, r.Process)
		return
	case !open:
		j.wrong("run %d of %s ends, and has not begun", r.Run, r.Process)
		return
	case key != r.Key:
		j.wrong("run %d of %s began as %s and ends as %s", r.Run, r.Process, key, r.Key)
	}
	delete(j.open, at)
	j.ended[at] = true
	if !r.Failed || j.rules.MayFail == nil || !j.rules.MayFail(r) {
		j.expect(r, "the run")
	}
	if j.results[key] == nil {
		j.results[key] = map[outcome]bool{}
	}
	j.results[key][outcome{r.Result, r.Failed}] = true
	if !r.Failed {
		j.made[r.Result] = true
	}
}

func (j *judge) count(r Record) {
	if j.counted[r.Key] {
		j.wrong("the result of %s counts again, by %s", r.Key, r.Process)
		return
	}
	if !j.made[r.Result] {
		j.wrong("%q of %s counts for %s, and no run has ended with it", r.Result, r.Key, r.Process)
	}
	j.Counted++
	j.counted[r.Key] = true
}

func (j *judge) complete(r Record) {
	s := submission{r.Process, r.Call}
	switch j.lives[s] {
	case unknown:
		j.wrong("call %s completes for %s, which has not submitted it", r.Call, r.Process)
		return
	case completed:
		j.wrong("call %s completes twice for %s", r.Call, r.Process)
		return
	}
	key := j.calls[r.Call]
	if r.Key != key {
		j.wrong("call %s of %s completes as %s", r.Call, key, r.Key)
	}
	j.lives[s], j.done[r.Call], j.known[key] = completed, true, true
	j.Completed++
	if r.Failed {
		j.Failed++
	}
	j.expect(r, "the completion")
	// A failure may be of those who wait, of the queue or of a prerequisite: no run needs to have
	// ended with it.
	if !r.Failed && !j.results[key][outcome{r.Result, false}] {
		j.wrong("call %s of %s completes with %q, with which no run has ended", r.Call, key,
			r.Result)
	}
}

// expect compares an outcome with that of a serial run. Why something fails is not compared.
func (j *judge) expect(r Record, who string) {
	switch want, ok := j.rules.Want(r.Key); {
	case ok && r.Failed:
		j.wrong("%s of %s by %s fails: %s", who, r.Key, r.Process, r.Result)
	case !ok && !r.Failed:
		j.wrong("%s of %s by %s yields %q, and should fail", who, r.Key, r.Process, r.Result)
	case ok && r.Result != want:
		j.wrong("%s of %s by %s yields %q, not %q", who, r.Key, r.Process, r.Result, want)
	}
}

// close looks at what is left over.
func (j *judge) close() {
	j.Calls, j.Keys = len(j.calls), len(j.first)
	for _, s := range j.order {
		if j.lives[s] == submitted && !j.dead[s.process] {
			j.wrong("call %s of %s is lost", s.call, s.process)
		}
	}
	for _, s := range j.order {
		if !j.done[s.call] && j.dead[s.process] {
			j.wrong("call %s is lost with %s", s.call, s.process)
			j.done[s.call] = true // said once
		}
	}
	for at, key := range j.open {
		if j.Cut++; !j.dead[at.process] {
			j.wrong("run %d of %s never ends, and nobody killed it: %s", at.n, at.process, key)
		}
	}
	if j.rules.Torn > j.Killed {
		j.wrong("%d lines are unfinished, and %d processes were killed", j.rules.Torn, j.Killed)
	}
}

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/heddle-go/heddle/internal/dev/cli"
	"github.com/heddle-go/heddle/stress/internal/shipped"
)

// mutate judges the edits of the chosen packages and returns how many survive.
func mutate(ctx context.Context, o options, call *cli.Call,
	known *summary) (survivors int, err error) {
	stdout := call.Text
	page, err := cli.Create("table", o.table)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, page.Close()) }()
	root, err := cli.ModuleRoot("")
	if err != nil {
		return 0, err
	}
	accepted := o.accepted
	if !filepath.IsAbs(accepted) {
		accepted = filepath.Join(root, accepted)
	}
	reasons, err := readAccepted(accepted)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", o.accepted, err)
	}
	m := &mutator{options: o, root: root, reasons: make(map[string]string), stdout: stdout,
		show: call.Progress, working: make(chan struct{}, o.p)}
	for _, r := range reasons {
		m.reasons[r.id] = r.text
	}
	if m.state, err = openState(o.state); err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, m.state.close()) }()
	if m.dir, err = os.MkdirTemp("", "mutants"); err != nil {
		return 0, err
	}
	defer os.RemoveAll(m.dir)

	if len(o.pkgs) == 0 {
		dirs, err := shipped.Packages(ctx, root)
		if err != nil {
			return 0, err
		}
		for _, dir := range dirs {
			o.pkgs = append(o.pkgs, "./"+dir)
		}
	}
	sources, err := loadAll(root, o.pkgs...)
	if err != nil {
		return 0, err
	}
	var all []*batchOf
	for _, s := range sources {
		all = append(all, &batchOf{s, generate(s)})
	}
	m.draw(all)
	if o.list {
		for _, b := range all {
			for _, e := range b.edits {
				if m.chosen(e) {
					fmt.Fprintln(stdout, e.id())
				}
			}
		}
		return 0, nil
	}
	if err := m.passAll(ctx, all); err != nil {
		return 0, err
	}
	var rows []row
	for _, b := range all {
		rows = append(rows, m.sum(b.pkg, b.edits))
		known.Files = append(known.Files, m.files(b.edits)...)
	}
	total := row{pkg: "all"}
	for _, r := range rows {
		total.add(r)
		fmt.Fprintln(stdout, r.line())
	}
	if len(rows) > 1 {
		fmt.Fprintln(stdout, total.line())
	}
	return len(total.survivors), page.Write(func(w io.Writer) error {
		_, err := io.WriteString(w, table(rows))
		return err
	})
}

// A mutator goes through packages.
type mutator struct {
	options
	root, dir string
	reasons   map[string]string // of accepted edits
	stdout    io.Writer
	show      *cli.Progress

	drawn map[*edit]bool // nil: all are

	working chan struct{} // holds one for each that builds or runs something, options.p at most

	mu    sync.Mutex // also of stdout and show
	state *state
}

// work does f, with no more than options.p others.
func (m *mutator) work(f func() error) error {
	m.working <- struct{}{}
	defer func() { <-m.working }()
	return f()
}

// tell shows what is done now.
func (m *mutator) tell(line string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.show.Show(line)
}

// A batchOf is a package with its edits.
type batchOf struct {
	*source
	edits []*edit
}

func (m *mutator) chosen(e *edit) bool {
	return (m.drawn == nil || m.drawn[e]) && (m.only == nil || m.only.MatchString(e.id()))
}

// draw picks the sample that is asked for from the edits of all packages.
func (m *mutator) draw(all []*batchOf) {
	if m.sample == 0 {
		return
	}
	var edits []*edit
	for _, b := range all {
		for _, e := range b.edits {
			if m.chosen(e) {
				edits = append(edits, e)
			}
		}
	}
	m.drawn = make(map[*edit]bool)
	for i, e := range order(edits, m.seed) {
		if i < m.sample {
			m.drawn[e] = true
		}
	}
}

// passAll judges the edits of all packages until the time is over, if there is a limit: first of
// those packages of which the smallest part is known, so that a run in pieces comes to all.
func (m *mutator) passAll(ctx context.Context, all []*batchOf) error {
	if m.long == 0 {
		return m.sideBySide(ctx, all)
	}
	const least = time.Minute // below that most of the time goes into builds
	deadline := time.Now().Add(m.long)
	part := func(b *batchOf) float64 {
		return float64(len(m.waiting(b.edits))) / float64(len(b.edits))
	}
	all = slices.DeleteFunc(slices.Clone(all), func(b *batchOf) bool {
		return len(m.waiting(b.edits)) == 0
	})
	slices.SortStableFunc(all, func(a, b *batchOf) int { return cmp.Compare(part(b), part(a)) })
	for i, b := range all {
		left := time.Until(deadline)
		if left <= 0 {
			break
		}
		share := min(left, max(least, left/time.Duration(len(all)-i)))
		if err := m.pass(ctx, b.source, b.edits, time.Now().Add(share)); err != nil {
			return err
		}
	}
	return nil
}

// sideBySide judges the edits of all packages, so many packages at a time as edits: what is done
// once for a package, before its edits can be judged, keeps one processor busy. Those with the most
// edits come first.
func (m *mutator) sideBySide(ctx context.Context, all []*batchOf) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b *batchOf) int {
		return cmp.Compare(len(m.waiting(b.edits)), len(m.waiting(a.edits)))
	})
	var mu sync.Mutex
	var first error
	next := 0
	var wg sync.WaitGroup
	for range min(m.p, len(all)) {
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			for next < len(all) && first == nil {
				b := all[next]
				next++
				mu.Unlock()
				err := m.pass(ctx, b.source, b.edits, time.Time{})
				mu.Lock()
				if err != nil && first == nil {
					first = err
					cancel() // the others need not come to their end
				}
			}
		})
	}
	wg.Wait()
	return first
}

// order sorts edits as the seed says. Where an edit stands does not depend on the others, so it
// is nearly the same order when the code has changed.
func order(edits []*edit, seed uint64) []*edit {
	place := make(map[*edit]uint64)
	for _, e := range edits {
		h := fnv.New64a()
		fmt.Fprint(h, e.id(), "\x00", seed)
		x := h.Sum64()
		x ^= x >> 32 // the last bytes alone would hardly move the high bits
		x *= 0x9e3779b97f4a7c15
		place[e] = x ^ x>>29
	}
	edits = slices.Clone(edits)
	slices.SortFunc(edits, func(a, b *edit) int {
		if place[a] < place[b] {
			return -1
		}
		return 1
	})
	return edits
}

// waiting returns the edits that are to be judged now.
func (m *mutator) waiting(all []*edit) (todo []*edit) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for _, e := range order(all, m.seed) {
		if !m.chosen(e) {
			continue
		}
		if n++; m.most >= 0 && n > m.most {
			break
		}
		known, ok := m.state.known[e.id()]
		_, accepted := m.reasons[e.id()]
		switch {
		case m.again && ok && known.Outcome == survived && !accepted:
			todo = append(todo, e)
		case !m.again && !ok:
			todo = append(todo, e)
		}
	}
	return todo
}

// pass judges the edits of one package that are not known yet, until the deadline if there is one.
func (m *mutator) pass(ctx context.Context, s *source, all []*edit, deadline time.Time) error {
	todo := m.waiting(all)
	if len(todo) == 0 {
		return nil
	}
	dir, err := os.MkdirTemp(m.dir, "pkg")
	if err != nil {
		return err
	}
	m.tell(s.pkg + " without an edit")
	var j *judge
	if err := m.work(func() (err error) {
		j, err = newJudge(ctx, m.root, dir, s, m.options)
		return err
	}); err != nil {
		return err
	}
	done := 0
	for chunk := range slices.Chunk(todo, batch) {
		if !deadline.IsZero() && !time.Now().Before(deadline) {
			break
		}
		m.tell(s.pkg + " with many edits")
		if err := m.work(func() error { return j.share(ctx, chunk) }); err != nil {
			return errors.Join(err, ctx.Err())
		}
		if err := m.chunk(ctx, j, chunk, deadline, func() {
			done++
			m.show.Show(fmt.Sprintf("%s: %d of %d", s.pkg, done, len(todo)))
		}); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// chunk judges some edits side by side.
func (m *mutator) chunk(ctx context.Context, j *judge, todo []*edit, deadline time.Time,
	did func()) error {
	next := 0
	var errs []error
	var wg sync.WaitGroup
	for range min(m.p, len(todo)) {
		wg.Go(func() {
			m.mu.Lock()
			defer m.mu.Unlock()
			for next < len(todo) && len(errs) == 0 && ctx.Err() == nil &&
				(deadline.IsZero() || time.Now().Before(deadline)) {
				e := todo[next]
				next++
				m.mu.Unlock()
				var v judged
				err := m.work(func() (err error) {
					v, err = j.judge(ctx, e)
					return err
				})
				m.mu.Lock()
				if err != nil {
					errs = append(errs, err)
					return
				}
				m.show.Clear()
				fmt.Fprintln(m.stdout, m.line(v))
				if err := m.state.add(v); err != nil {
					errs = append(errs, err)
				}
				did()
			}
		})
	}
	wg.Wait()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.show.Clear()
	return errors.Join(append(errs, ctx.Err())...)
}

// line is what became of an edit, for people.
func (m *mutator) line(v judged) string {
	what := map[outcome]string{
		foundByTests: "found   ", foundByModels: "found   ", sameCode: "same    ",
		notBuilt: "invalid ", survived: "SURVIVED",
	}[v.Outcome]
	_, accepted := m.reasons[v.ID]
	switch {
	case v.Outcome == survived && accepted:
		what = "accepted"
	case v.By != "":
		return fmt.Sprintf("%s %s (%s: %s, %.1fs)", what, v.ID, v.Outcome, v.By, v.Seconds)
	}
	return fmt.Sprintf("%s %s (%.1fs)", what, v.ID, v.Seconds)
}

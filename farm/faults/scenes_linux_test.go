package faults

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/farm/internal/history"
	"github.com/heddle-go/heddle/farm/internal/proc"
	"github.com/heddle-go/heddle/farm/internal/proxy"
)

// until waits until the history has what is asked for.
func (w *world) until(what string, has func([]history.Record) bool) {
	require.Eventually(w, func() bool {
		records, _, err := history.Read(w.history())
		return err == nil && has(records)
	}, soon, 5*time.Millisecond, what)
}

// count returns how many records are of a kind and of a process whose name begins so.
func count(records []history.Record, kind history.Kind, process string) (n int) {
	for _, r := range records {
		if r.Kind == kind && strings.HasPrefix(r.Process, process) {
			n++
		}
	}
	return n
}

// atLeast waits for so many records.
func (w *world) atLeast(n int, kind history.Kind, process string) {
	w.until(fmt.Sprint(n, " ", kind, " of ", process), func(h []history.Record) bool {
		return count(h, kind, process) >= n
	})
}

// TestNoFault is what the others are compared with: nothing goes wrong.
func TestNoFault(t *testing.T) {
	w := newWorld(t)
	s := w.server("server", nil)
	c := w.config(urlOf(s.addr()))
	a, b := w.worker("a", c), w.worker("b", c)
	client := w.client("client", c, mix{N: 400, Seed: 1})
	v, _ := w.finish(client, history.Rules{}, a, b, s.Process)
	require.Equal(t, 400, v.Completed)
	require.Zero(t, v.Killed)
}

// TestKillWorker kills each worker three times while it has jobs half done, and starts it again.
func TestKillWorker(t *testing.T) {
	w := newWorld(t)
	s := w.server("server", nil)
	c := w.config(urlOf(s.addr()))
	workers := map[string]*proc.Process{"a": w.worker("a", c), "b": w.worker("b", c)}
	client := w.client("client", c, mix{N: 200, Plain: true, Sleep: 50})
	for i := range 3 {
		for _, name := range []string{"a", "b"} {
			p := workers[name]
			w.atLeast(5*(i+1), history.Begin, p.Name)
			w.kill(p)
			workers[name] = w.worker(name, c)
		}
	}
	v, _ := w.finish(client, history.Rules{}, workers["a"], workers["b"], s.Process)
	require.Equal(t, 6, v.Killed)
	require.Positive(t, v.Cut, "no job was half done")
	require.GreaterOrEqual(t, v.Repeated, v.Cut)
}

// TestKillServer kills the server three times, with jobs in the queue, and starts it again at the
// same files. Clients and workers find it again.
func TestKillServer(t *testing.T) {
	long(t)
	w := newWorld(t)
	s := w.server("server", nil)
	c := w.config(urlOf(s.addr()))
	a, b := w.worker("a", c), w.worker("b", c)
	client := w.client("client", c, mix{N: 600, Seed: 2})
	for i := range 3 {
		w.atLeast(100*(i+1), history.Complete, "client")
		w.kill(s.Process)
		s.up()
	}
	v, _ := w.finish(client, history.Rules{}, a, b, s.Process)
	require.Equal(t, 3, v.Killed)
}

// TestKillEmbedded kills a client that has the server inside. When it comes again with the same
// directory it finds the results that there were: their work is not done again.
func TestKillEmbedded(t *testing.T) {
	w := newWorld(t)
	m := mix{N: 300, Plain: true, Sleep: 5}
	c := w.config("")
	c.Dir = w.dir + "/streams"
	begin := func() (client, worker *proc.Process) {
		client = w.client("client", c, m)
		at := c
		at.Dir, at.URL = "", w.hear(client, "ready ")
		worker = w.worker("a", at)
		w.hear(worker, "ready")
		require.NoError(t, client.Tell("go"))
		return client, worker
	}
	client, a := begin()
	w.atLeast(100, history.Complete, "client")
	w.kill(client)
	w.kill(a) // its server has another port and another token next time
	before, _, err := history.Read(w.history())
	require.NoError(t, err)
	client, a = begin()
	v, records := w.finish(client, history.Rules{}, a)
	require.Equal(t, m.N, count(records, history.Complete, "client.2"))
	counted := count(before, history.Counted, "")
	require.GreaterOrEqual(t, counted, 100)
	again := count(records, history.Begin, "a.2")
	require.LessOrEqual(t, again, m.N-counted, "work was done again whose result was there")
	require.Zero(t, v.Late)
}

// TestKillClient kills the client twice. Each next life asks for all of it, finds the results that
// there are, and has the rest done.
func TestKillClient(t *testing.T) {
	w := newWorld(t)
	s := w.server("server", nil)
	c := w.config(urlOf(s.addr()))
	a, b := w.worker("a", c), w.worker("b", c)
	m := mix{N: 400, Plain: true, Sleep: 2}
	client := w.client("client", c, m)
	for range 2 {
		w.atLeast(100, history.Complete, client.Name)
		w.kill(client)
		client = w.client("client", c, m)
	}
	v, records := w.finish(client, history.Rules{}, a, b, s.Process)
	require.Equal(t, m.N, count(records, history.Complete, "client.3"))
	require.Equal(t, m.N, v.Runs, "work was done twice")
}

// TestStopWorker stops a worker for longer than the server waits for it. Its jobs are run by
// another one; when it goes on it ends them too, and their results count once.
func TestStopWorker(t *testing.T) {
	w := newWorld(t)
	s := w.server("server", nil)
	c := w.config(urlOf(s.addr()))
	a := w.worker("a", c)
	w.hear(a, "ready")
	client := w.client("client", c, mix{N: 40, Plain: true, Sleep: 300})
	w.atLeast(4, history.Begin, "a")
	require.NoError(t, a.Stop())
	b := w.worker("b", c)
	w.atLeast(40, history.Complete, "client")
	require.NoError(t, a.Continue())
	// The judge wants each run to have ended: a worker that ends waits for its own.
	w.until("the stopped jobs end", func(h []history.Record) bool {
		return count(h, history.Begin, "a.") == count(h, history.End, "a.")
	})
	v, _ := w.finish(client, history.Rules{}, a, b, s.Process)
	require.GreaterOrEqual(t, v.Repeated, 4)
	require.Equal(t, 40, v.Counted)
}

// TestPartition cuts a worker and the client off from the server, one after the other and in each
// direction, for longer than the server waits; then it breaks all connections; then it delays.
func TestPartition(t *testing.T) {
	long(t)
	w := newWorld(t)
	s := w.server("server", nil)
	forClient, forWorker := w.proxy(s.addr()), w.proxy(s.addr())
	c := w.config(urlOf(forClient.Addr()))
	b := w.worker("b", w.config(urlOf(s.addr())))
	a := w.worker("a", w.config(urlOf(forWorker.Addr())))
	client := w.client("client", c, mix{N: 700, Plain: true, Sleep: 20})
	done := 0
	for _, p := range []*proxy.Proxy{forWorker, forClient} {
		for _, sides := range [][]proxy.Side{{proxy.ToServer}, {proxy.ToClient},
			{proxy.ToServer, proxy.ToClient}} {
			done += 40
			w.atLeast(done, history.Complete, "client")
			require.NoError(t, p.Stall(sides...))
			time.Sleep(1500 * time.Millisecond) // longer than the server waits
			require.NoError(t, p.Heal())
		}
	}
	for range 5 {
		done += 40
		w.atLeast(done, history.Complete, "client")
		require.NoError(t, forClient.Cut())
		require.NoError(t, forWorker.Cut())
	}
	forClient.Refuse()
	w.atLeast(done, history.End, "")
	require.NoError(t, forClient.Heal())
	require.NoError(t, forClient.Delay(20*time.Millisecond, 10*time.Millisecond))
	require.NoError(t, forWorker.Throttle(proxy.ToServer, 20))
	v, _ := w.finish(client, history.Rules{}, a, b, s.Process)
	require.Positive(t, v.Repeated, "nobody was cut off for long enough")
}

// TestHalfDead has one of two workers whom nothing of the server reaches, again and again and each
// time until the other one has done some of its jobs; then all comes at once. Meanwhile the client
// looks for its results all the time, and many jobs are given back by who has them. None is lost.
func TestHalfDead(t *testing.T) {
	w := newWorld(t)
	s := w.server("server", nil)
	p := w.proxy(s.addr())
	c := w.config(urlOf(s.addr()))
	c.AckWait, c.Recheck, c.Slots, c.MaxDeliver = 300*time.Millisecond, 10*time.Millisecond, 16, 50
	half := c
	half.URL = urlOf(p.Addr())
	a, b := w.worker("a", half), w.worker("b", c)
	w.hear(a, "ready")
	w.hear(b, "ready")
	rounds := 4
	if *soakJobs > 0 {
		rounds = 9
	}
	client := w.client("client", c, mix{N: 100 * rounds, Plain: true, Sleep: 20, Once: 4})
	for i := range rounds {
		w.atLeast(100*i+50, history.Complete, "client")
		require.NoError(t, p.Stall(proxy.ToClient))
		w.atLeast(100*i+90, history.Complete, "client")
		require.NoError(t, p.Heal())
	}
	v, _ := w.finish(client, history.Rules{}, a, b, s.Process)
	require.Equal(t, 100*rounds, v.Completed)
	require.Zero(t, v.Failed)
}

// TestMessagesTwice publishes messages of the queue again, while their work is queued, while it
// runs and when its result is there, and in another order: each result counts once.
func TestMessagesTwice(t *testing.T) {
	w := newWorld(t)
	s := w.server("server", nil)
	c := w.config(urlOf(s.addr()))
	a, b := w.worker("a", c), w.worker("b", c)
	w.hear(a, "ready")
	w.hear(b, "ready")
	d := w.doubler(s.addr())
	client := w.client("client", c, mix{N: 400, Plain: true, Sleep: 10})
	w.atLeast(400, history.Complete, "client")
	d.end()
	require.Positive(t, d.taken)
	require.Positive(t, d.accepted, "none was queued a second time")
	w.until("the queue is empty", func([]history.Record) bool { return d.waiting() == 0 })
	v, _ := w.finish(client, history.Rules{}, a, b, s.Process)
	t.Logf("%d messages seen, %d accepted again", d.taken, d.accepted)
	require.Equal(t, 400, v.Counted)
}

// A doubler takes copies of messages from the queues and publishes them again, the newest first.
type doubler struct {
	w               *world
	nc              *nats.Conn
	js              jetstream.JetStream
	stop            context.CancelFunc
	stopped         chan struct{}
	taken, accepted int
}

func (w *world) doubler(addr string) *doubler {
	nc, err := nats.Connect(urlOf(addr), nats.MaxReconnects(-1),
		nats.ReconnectWait(50*time.Millisecond))
	require.NoError(w, err)
	js, err := jetstream.New(nc)
	require.NoError(w, err)
	ctx, stop := context.WithCancel(context.Background())
	d := &doubler{w: w, nc: nc, js: js, stop: stop, stopped: make(chan struct{})}
	go func() {
		defer close(d.stopped)
		d.double(ctx)
	}()
	return d
}

func (d *doubler) double(ctx context.Context) {
	var copies []*jetstream.RawStreamMsg
	for ctx.Err() == nil {
		for _, name := range d.streams() {
			s, err := d.js.Stream(ctx, name)
			if err != nil {
				continue // there is no server just now
			}
			state := s.CachedInfo().State
			for seq := state.FirstSeq; seq <= state.LastSeq && seq < state.FirstSeq+8; seq++ {
				if m, err := s.GetMsg(ctx, seq); err == nil {
					d.taken++
					copies = append(copies, m)
				}
			}
		}
		for i := len(copies) - 1; i >= 0 && len(copies) > 16; i-- {
			m := nats.NewMsg(copies[i].Subject)
			m.Data = copies[i].Data
			if _, err := d.js.PublishMsg(ctx, m, jetstream.WithRetryAttempts(0)); err == nil {
				d.accepted++
			}
			copies = append(copies[:i:i], copies[i+1:]...)
		}
		select {
		case <-ctx.Done():
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (d *doubler) streams() (names []string) {
	for _, p := range []string{"high", "normal", "low"} {
		names = append(names, "heddle-jobs-"+p)
	}
	return names
}

// waiting returns how many messages are in the queues.
func (d *doubler) waiting() (n uint64) {
	ctx, cancel := context.WithTimeout(context.Background(), soon)
	defer cancel()
	for _, name := range d.streams() {
		s, err := d.js.Stream(ctx, name)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			continue // nobody has opened the farm yet
		}
		require.NoError(d.w, err)
		n += s.CachedInfo().State.Msgs
	}
	return n
}

func (d *doubler) end() {
	d.stop()
	<-d.stopped
	d.w.end = append(d.w.end, d.nc.Close)
}

// TestSlowConsumer lets the client read so slowly that the server cuts it off. It comes again, and
// looks for what was announced meanwhile.
func TestSlowConsumer(t *testing.T) {
	long(t)
	w := newWorld(t)
	s := w.server("server", func(s *node) {
		s.config.MaxPending, s.config.Deadline = 1<<20, 200*time.Millisecond
	})
	p := w.proxy(s.addr())
	c := w.config(urlOf(s.addr()))
	d := w.doubler(s.addr())
	d.end() // it only counts
	slow := c
	slow.URL, slow.Window = urlOf(p.Addr()), 1200 // more than the 36 MiB that a kernel holds back
	client := w.client("client", slow, mix{N: 1200, Plain: true, Size: 60 << 10})
	w.until("all is queued", func([]history.Record) bool { return d.waiting() == 1200 })
	require.NoError(t, p.Stall(proxy.ToClient))
	a, b := w.worker("a", c), w.worker("b", c)
	require.Eventually(t, func() bool {
		require.NoError(t, s.Tell("slow"))
		n, err := strconv.Atoi(w.hear(s.Process, "slow "))
		require.NoError(t, err)
		return n > 0
	}, soon, 20*time.Millisecond)
	require.NoError(t, p.Heal())
	v, _ := w.finish(client, history.Rules{}, a, b, s.Process)
	require.Equal(t, 1200, v.Completed)
}

// TestFullStore has a server that may store little: calls wait until it may store more.
func TestFullStore(t *testing.T) {
	long(t)
	w := newWorld(t)
	s := w.server("server", func(s *node) { s.config.MaxStore = 4 << 20 })
	c := w.config(urlOf(s.addr()))
	c.MaxStore = s.config.MaxStore
	a, b := w.worker("a", c), w.worker("b", c)
	client := w.client("client", c, mix{N: 300, Plain: true, Size: 30 << 10})
	w.full(client)
	require.NoError(t, s.End(soon))
	s.config.MaxStore = 1 << 30
	s.up()
	v, _ := w.finish(client, history.Rules{}, a, b, s.Process)
	require.Equal(t, 300, v.Completed)
}

// full waits until nothing has completed for two seconds, and says that there is something left.
func (w *world) full(client *proc.Process) {
	for last := -1; ; {
		records, _, err := history.Read(w.history())
		require.NoError(w, err)
		n := count(records, history.Complete, client.Name)
		if n == last && n > 0 {
			require.Less(w, n, 300, "the disk was not full")
			return
		}
		last = n
		time.Sleep(2 * time.Second)
	}
}

// TestFullDisk has a server whose file system is too small for the results. When it is larger, and
// the server has started again, all the rest completes.
func TestFullDisk(t *testing.T) {
	long(t)
	w := newWorld(t)
	disk := t.TempDir()
	if err := proc.Namespaces(disk); err != nil {
		t.Skip(err)
	}
	s := w.server("server", func(s *node) {
		s.config.Dir = disk
		s.start.Disk, s.start.DiskBytes = disk, 4<<20
	})
	c := w.config(urlOf(s.addr()))
	a, b := w.worker("a", c), w.worker("b", c)
	client := w.client("client", c, mix{N: 300, Plain: true, Size: 30 << 10})
	w.full(client)
	require.NoError(t, s.Tell(fmt.Sprint("grow ", 256<<20)))
	w.hear(s.Process, "grown")
	v, _ := w.finish(client, history.Rules{}, a, b, s.Process)
	require.Equal(t, 300, v.Completed)
}

// TestPoison has jobs that fail, panic and kill their worker each time. They are given up after so
// many runs; what needs their results fails with the cause; everything else completes.
func TestPoison(t *testing.T) {
	for _, do := range []doing{fail, crash, die} {
		t.Run(string(do), func(t *testing.T) {
			w := newWorld(t)
			s := w.server("server", nil)
			c := w.config(urlOf(s.addr()))
			c.MaxDeliver, c.Slots = 4, 1
			a := w.worker("a", c)
			bad := mix{N: 12, Plain: true, Do: do, Poisoned: true}
			client := w.client("client", c, bad)
			over := make(chan struct{})
			ended := make(chan *proc.Process)
			go func() { // who dies comes again
				p := a
				for {
					select {
					case <-over:
						ended <- p
						return
					case <-p.Gone():
						w.kill(p)
						p = w.worker("a", c)
					}
				}
			}()
			w.hear(client, "done")
			close(over)
			a = <-ended
			require.NoError(t, client.Wait(soon))
			require.NoError(t, a.End(soon))
			require.NoError(t, s.End(soon))
			v, records := w.judge(history.Rules{MaxRuns: func(key string) int {
				if strings.Contains(key, `"d":`) {
					return c.MaxDeliver
				}
				return 0
			}})
			require.Equal(t, 12, v.Completed)
			require.Equal(t, 2, v.Failed, "the poisoned one and its dependent")
			begun := 0
			for _, r := range records {
				if r.Kind == history.Begin && strings.Contains(r.Key, `"d":`) {
					begun++
				}
				if r.Kind == history.Complete && r.Failed {
					require.Contains(t, r.Result, "farm: job work 1 failed after 4 attempts")
				}
			}
			require.Equal(t, c.MaxDeliver, begun)
		})
	}
}

// TestVersions has workers of two versions at once, and a client of each: each gets what its own
// version makes of the work, and who has the other version touches nothing of it.
func TestVersions(t *testing.T) {
	w := newWorld(t)
	s := w.server("server", nil)
	old := w.config(urlOf(s.addr()))
	next := old
	next.Versions, next.Version = []string{"2"}, "2"
	a := w.worker("old", old)
	m := mix{N: 200, Plain: true}
	first := w.client("client-old", old, m)
	second := w.client("client-next", next, m) // nobody can do it yet
	w.hear(first, "done")
	records, _, err := history.Read(w.history())
	require.NoError(t, err)
	require.Zero(t, count(records, history.Complete, "client-next"))
	b := w.worker("next", next)
	require.NoError(t, first.Wait(soon))
	v, records := w.finish(second, history.Rules{}, a, b, s.Process)
	require.Equal(t, 400, v.Completed)
	require.Equal(t, 400, v.Keys)
	for _, r := range records {
		if r.Kind == history.Begin {
			require.Equal(t, strings.HasPrefix(r.Process, "old"), strings.HasPrefix(r.Key, "1 "))
		}
	}
}

// TestKillNode kills each of three nodes of a cluster in turn, and starts it again.
func TestKillNode(t *testing.T) {
	long(t)
	w := newWorld(t)
	var nodes []*node
	ports := []int{w.port(), w.port(), w.port()}
	for i := range ports {
		nodes = append(nodes, w.server(fmt.Sprint("node", i), func(s *node) {
			s.config.Cluster, s.config.Routes = ports[i], ports
		}))
	}
	var urls []string
	for _, n := range nodes {
		urls = append(urls, urlOf(n.addr()))
	}
	c := w.config(strings.Join(urls, ","))
	c.Replicas = 3
	a, b := w.worker("a", c), w.worker("b", c)
	client := w.client("client", c, mix{N: 500, Seed: *soakSeed + 3, Large: 5})
	for i, n := range nodes {
		w.atLeast(60*(i+1), history.Complete, "client")
		w.kill(n.Process)
		w.atLeast(60*(i+1)+30, history.Complete, "client")
		n.up()
	}
	v, _ := w.finish(client, history.Rules{}, a, b, nodes[0].Process, nodes[1].Process,
		nodes[2].Process)
	require.Equal(t, 3, v.Killed)
	require.Equal(t, 500, v.Completed)
}

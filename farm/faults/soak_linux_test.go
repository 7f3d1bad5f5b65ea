package faults

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/farm/internal/history"
	"github.com/heddle-go/heddle/farm/internal/proc"
	"github.com/heddle-go/heddle/farm/internal/proxy"
)

var (
	soakJobs = flag.Int("soakjobs", 0, "jobs of TestSoak; with 0 there are no long scenes")
	soakSeed = flag.Uint64("soakseed", 1, "what TestSoak draws")
)

// long leaves out a scene that takes many seconds, unless there is a soak.
func long(t *testing.T) {
	if *soakJobs == 0 {
		t.Skip("make soak-farm")
	}
}

// The most memory that a process of each role may ever have. The runtime and the libraries have 60
// MiB of it before the first job.
var mostMemory = map[string]int64{"client": 400 << 20, "worker": 200 << 20, "server": 600 << 20}

// A soak has the processes that come and go.
type soak struct {
	*world
	r       *rand.Rand
	server  *node
	client  *proc.Process
	workers []*proc.Process
	proxies []*proxy.Proxy // one for each worker, and the last for the client
	config  farmConfig
	mix     mix
	made    map[string]int
	most    map[string]int64
}

// TestSoak does everything at once: so many jobs of all kinds, and meanwhile at random what the
// scenes do one by one.
func TestSoak(t *testing.T) {
	long(t)
	w := newWorld(t)
	s := &soak{world: w, r: rand.New(rand.NewPCG(*soakSeed, 24)), server: w.server("server", nil),
		mix:  mix{N: *soakJobs, Seed: *soakSeed},
		made: map[string]int{}, most: map[string]int64{}}
	for range 4 {
		s.proxies = append(s.proxies, w.proxy(s.server.addr()))
	}
	s.config = w.config("")
	s.config.MaxDeliver = 16 // of the faults, some hit the same job several times
	for i := range 3 {
		s.workers = append(s.workers, s.labour(i))
	}
	s.client = s.ask()
	d := w.doubler(s.server.addr())
	for over := false; !over; {
		over = s.step()
		s.measure()
	}
	d.end()
	for _, p := range s.proxies {
		require.NoError(t, p.Heal())
	}
	w.until("the queue is empty", func([]history.Record) bool { return d.waiting() == 0 })
	for _, p := range s.workers {
		require.NoError(t, p.End(soon), p.Name)
	}
	require.NoError(t, s.server.End(soon))
	v, _ := w.judge(history.Rules{})
	t.Logf("made: %v", s.made)
	t.Logf("%d messages queued again, %d of them accepted", d.taken, d.accepted)
	for role, most := range mostMemory {
		t.Logf("%s: at most %d MiB of memory", role, s.most[role]>>20)
		require.Less(t, s.most[role], most, role)
	}
	require.Equal(t, *soakJobs, v.Calls)
}

func (s *soak) labour(i int) *proc.Process {
	c := s.config
	c.URL = urlOf(s.proxies[i].Addr())
	return s.world.worker(fmt.Sprint("worker", i), c)
}

func (s *soak) ask() *proc.Process {
	c := s.config
	c.URL = urlOf(s.proxies[3].Addr())
	return s.world.client("client", c, s.mix)
}

// step makes one fault, and reports whether the client has ended.
func (s *soak) step() bool {
	select {
	case <-s.client.Gone():
		require.NoError(s, s.client.Wait(soon))
		return true
	case <-time.After(time.Duration(100+s.r.IntN(400)) * time.Millisecond):
	}
	i := s.r.IntN(3)
	p := s.proxies[s.r.IntN(4)]
	pause := time.Duration(s.r.IntN(1500)) * time.Millisecond
	var what string
	switch at := s.r.IntN(100); {
	case at < 20:
		what = "worker killed"
		s.kill(s.workers[i])
		s.workers[i] = s.labour(i)
	case at < 30:
		what = "worker stopped"
		require.NoError(s, s.workers[i].Stop())
		time.Sleep(pause)
		require.NoError(s, s.workers[i].Continue())
	case at < 38:
		what = "server killed"
		s.kill(s.server.Process)
		time.Sleep(pause / 2)
		s.server.up()
	case at < 42:
		what = "server stopped"
		require.NoError(s, s.server.Stop())
		time.Sleep(pause)
		require.NoError(s, s.server.Continue())
	case at < 45 && s.made["client killed"] < 4:
		what = "client killed"
		s.kill(s.client)
		s.client = s.ask()
	case at < 60:
		what = "connections cut"
		require.NoError(s, p.Cut())
	case at < 72:
		what = "partition"
		sides := [][]proxy.Side{{proxy.ToServer}, {proxy.ToClient},
			{proxy.ToServer, proxy.ToClient}}[s.r.IntN(3)]
		require.NoError(s, p.Stall(sides...))
		time.Sleep(pause)
		require.NoError(s, p.Heal())
	case at < 80:
		what = "refused"
		p.Refuse()
		time.Sleep(pause / 2)
		require.NoError(s, p.Heal())
	case at < 90:
		what = "delay"
		require.NoError(s, p.Delay(20*time.Millisecond, 15*time.Millisecond))
	default:
		what = "healed"
		require.NoError(s, p.Heal())
	}
	s.made[what]++
	return false
}

// measure notes what memory the processes have had.
func (s *soak) measure() {
	for role, all := range map[string][]*proc.Process{"client": {s.client}, "worker": s.workers,
		"server": {s.server.Process}} {
		for _, p := range all {
			if _, most, err := p.Memory(); err == nil { // or it has just ended
				s.most[role] = max(s.most[role], most)
			}
		}
	}
}

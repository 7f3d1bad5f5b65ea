package faults

import (
	"fmt"
	"net"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/farm/internal/history"
	"github.com/heddle-go/heddle/farm/internal/proxy"
)

// A mesh is a cluster of three nodes. Each reaches each other one through a proxy of the two.
type mesh struct {
	nodes []*node
	links [3][3]*proxy.Proxy // from the one that dials to the one that listens
}

func (w *world) mesh() *mesh {
	m := &mesh{}
	ports := []int{w.port(), w.port(), w.port()}
	for i := range ports {
		var routes []int
		for j, to := range ports {
			if i == j {
				continue
			}
			m.links[i][j] = w.proxy("127.0.0.1:" + strconv.Itoa(to))
			_, text, err := net.SplitHostPort(m.links[i][j].Addr())
			require.NoError(w, err)
			port, err := strconv.Atoi(text)
			require.NoError(w, err)
			routes = append(routes, port)
		}
		m.nodes = append(m.nodes, w.server(fmt.Sprint("node", i), func(s *node) {
			s.config.Cluster, s.config.Routes = ports[i], routes
			// Nobody is there: what the nodes tell each other leads past no proxy.
			s.config.Advertise = "127.0.0.1:1"
		}))
	}
	return m
}

// around returns the links of a node.
func (m *mesh) around(i int) (links []*proxy.Proxy) {
	for j := range m.nodes {
		if i != j {
			links = append(links, m.links[i][j], m.links[j][i])
		}
	}
	return links
}

// TestSplit cuts each node of a cluster off from the other two, and from nobody else: those of a
// worker and of the client by packets that get lost for longer than it takes to elect another
// leader, and that come late when the network is whole again; that of the other worker by
// connections that break.
func TestSplit(t *testing.T) {
	long(t)
	w := newWorld(t)
	m := w.mesh()
	at := func(i int) farmConfig {
		c := w.config(urlOf(m.nodes[i].addr()))
		c.Replicas = 3
		return c
	}
	a, b := w.worker("a", at(1)), w.worker("b", at(2))
	client := w.client("client", at(0), mix{N: 1500, Seed: *soakSeed, Large: 5, Steady: true,
		Sleep: 150})
	const lost = 12 * time.Second // leaders are elected after up to nine
	completed := func() int {
		records, _, err := history.Read(w.history())
		require.NoError(w, err)
		return count(records, history.Complete, "client")
	}

	w.atLeast(60, history.Complete, "client")
	for _, l := range m.around(1) {
		require.NoError(t, l.Stall(proxy.ToServer, proxy.ToClient))
	}
	time.Sleep(lost)
	w.atLeast(completed()+30, history.Complete, "client") // the other two go on
	for _, l := range m.around(1) {
		require.NoError(t, l.Heal())
	}

	w.atLeast(completed()+30, history.Complete, "client")
	for _, l := range m.around(2) {
		l.Refuse()
	}
	w.atLeast(completed()+60, history.Complete, "client")
	for _, l := range m.around(2) {
		require.NoError(t, l.Heal())
	}

	w.atLeast(completed()+30, history.Complete, "client")
	for _, l := range m.around(0) {
		require.NoError(t, l.Stall(proxy.ToServer, proxy.ToClient))
	}
	time.Sleep(lost / 2)
	known := map[string]bool{}
	before, _, err := history.Read(w.history())
	require.NoError(t, err)
	for _, r := range before {
		known[r.Key] = known[r.Key] || r.Kind == history.Complete
	}
	time.Sleep(lost / 2)
	after, _, err := history.Read(w.history())
	require.NoError(t, err)
	for _, r := range after[len(before):] {
		if r.Kind == history.Complete { // its node has what was there when it was cut off
			require.True(t, known[r.Key], "the client's node is not cut off")
		}
	}
	require.Less(t, count(before, history.Complete, "client"), 1500)
	for _, l := range m.around(0) {
		require.NoError(t, l.Heal())
	}

	v, _ := w.finish(client, history.Rules{}, a, b, m.nodes[0].Process, m.nodes[1].Process,
		m.nodes[2].Process)
	require.Equal(t, 1500, v.Completed)
	require.Zero(t, v.Failed)
}

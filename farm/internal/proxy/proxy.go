package proxy

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
	"github.com/Shopify/toxiproxy/v2/toxics"
	"github.com/rs/zerolog"
)

// A Side is a direction of the bytes.
type Side string

// ToServer is what clients write, and ToClient what the server writes.
const (
	ToServer Side = "upstream"
	ToClient Side = "downstream"
)

// hold is a toxic that Toxiproxy lacks: it lets nothing through and loses nothing, as a network
// does whose packets get lost until it comes back. Toxiproxy's own timeout loses what it has read,
// and closes the connection when it is removed.
type hold struct{}

// Pipe takes nothing, so that the writer comes to stand too, until the toxic is removed.
func (hold) Pipe(stub *toxics.ToxicStub) { <-stub.Interrupt }

// Toxics are registered in the process by name. Those of Toxiproxy log for the process, too.
var register = sync.OnceFunc(func() {
	toxics.Register("hold", new(hold))
	zerolog.SetGlobalLevel(zerolog.Disabled)
})

// A Proxy listens on a port of loopback and passes what comes there on to a server, by Toxiproxy.
// At first it does nothing bad. Its methods may be called by any goroutine; what they do holds for
// connections that are there and for later ones, until Heal.
type Proxy struct {
	mu     sync.Mutex
	at     string // the address, also while it refuses
	proxy  *toxiproxy.Proxy
	closed bool
}

// New starts a proxy of the server at an address, host and port.
func New(server string) (*Proxy, error) {
	register()
	api := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	p := &Proxy{proxy: toxiproxy.NewProxy(api, "proxy", "127.0.0.1:0", server)}
	if err := p.proxy.Start(); err != nil {
		return nil, fmt.Errorf("proxy: %w", err)
	}
	p.at = p.proxy.Listen
	return p, nil
}

// Addr returns where the proxy listens, host and port.
func (p *Proxy) Addr() string { return p.at }

// add adds a toxic, or replaces the one of that kind and side.
func (p *Proxy) add(kind string, side Side, attributes map[string]int64) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	text, err := json.Marshal(map[string]any{"type": kind, "stream": side,
		"attributes": attributes})
	if err != nil {
		return err
	}
	// Toxiproxy's own update writes to the toxic while it runs.
	if name := kind + "_" + string(side); p.proxy.Toxics.GetToxic(name) != nil {
		if err := p.proxy.Toxics.RemoveToxic(context.Background(), name); err != nil {
			return err
		}
	}
	_, err = p.proxy.Toxics.AddToxicJson(bytes.NewReader(text))
	return err
}

// Delay has each piece take so long in both directions, more or less by up to jitter. They stay in
// order.
func (p *Proxy) Delay(by, jitter time.Duration) error {
	for _, side := range []Side{ToServer, ToClient} {
		if err := p.add("latency", side, map[string]int64{"latency": by.Milliseconds(),
			"jitter": jitter.Milliseconds()}); err != nil {
			return err
		}
	}
	return nil
}

// Throttle lets through so many KiB a second, at least one.
func (p *Proxy) Throttle(side Side, kib int64) error {
	return p.add("bandwidth", side, map[string]int64{"rate": max(kib, 1)})
}

// Stall lets nothing through on one side. Connections stay open, and what is written meanwhile
// comes after Heal: one side alone is a network that is broken in one direction, both a partition.
func (p *Proxy) Stall(sides ...Side) error {
	for _, side := range sides {
		if err := p.add("hold", side, nil); err != nil {
			return err
		}
	}
	return nil
}

// Cut closes all connections, in the middle of what they write. New ones are accepted.
func (p *Proxy) Cut() error {
	p.Refuse()
	return p.accept()
}

// Refuse closes all connections, and accepts none until Heal.
func (p *Proxy) Refuse() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reset() // or what is held would keep goroutines for ever
	p.proxy.Stop()
}

// accept listens again where it listened before.
func (p *Proxy) accept() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.proxy.Enabled {
		return nil
	}
	p.proxy.Listen = p.at
	return p.proxy.Start()
}

// reset removes all toxics. What holds goes first: Toxiproxy passes on what is in a toxic that it
// removes, and would wait for ever for one behind that takes nothing.
func (p *Proxy) reset() {
	for _, side := range []Side{ToServer, ToClient} {
		if name := "hold_" + string(side); p.proxy.Toxics.GetToxic(name) != nil {
			_ = p.proxy.Toxics.RemoveToxic(context.Background(), name) // it is there
		}
	}
	p.proxy.Toxics.ResetToxics(context.Background())
}

// Heal ends whatever is bad. What was held is delivered.
func (p *Proxy) Heal() error {
	p.mu.Lock()
	p.reset()
	p.mu.Unlock()
	return p.accept()
}

// Close closes all connections and ends the proxy.
func (p *Proxy) Close() {
	p.Refuse()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
}

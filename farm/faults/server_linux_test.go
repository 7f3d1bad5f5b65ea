package faults

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/heddle-go/heddle/farm/internal/proc"
)

// A serverConfig is what a server process is started with.
type serverConfig struct {
	Name     string
	Port     int
	Dir      string
	MaxStore int64
	Token    string

	// A consumer is slow that lets so many bytes wait, or does not take any for so long.
	MaxPending int64
	Deadline   time.Duration

	Cluster int // the port of this node, or 0
	Routes  []int

	// Advertise is where other nodes are told to reach this one, if they have not by their Routes.
	Advertise string
}

func (c serverConfig) options() (*server.Options, error) {
	o := &server.Options{ServerName: c.Name, Host: "127.0.0.1", Port: c.Port,
		Authorization: c.Token, JetStream: true, StoreDir: c.Dir, JetStreamMaxStore: c.MaxStore,
		JetStreamMaxMemory: 64 << 20, MaxPending: c.MaxPending, WriteDeadline: c.Deadline,
		NoLog: true, NoSigs: true}
	if c.Cluster == 0 {
		return o, nil
	}
	o.Cluster = server.ClusterOpts{Name: "faults", Host: "127.0.0.1", Port: c.Cluster,
		Advertise: c.Advertise}
	for _, port := range c.Routes {
		u, err := url.Parse(fmt.Sprintf("nats://127.0.0.1:%d", port))
		if err != nil {
			return nil, err
		}
		o.Routes = append(o.Routes, u)
	}
	return o, nil
}

// serve is the role of a NATS server. It hears "slow" and says how many slow consumers it has cut
// off, and "grow" with the bytes that its file system and its store have from then on.
func serve(c *proc.Child) error {
	var config serverConfig
	if err := json.Unmarshal([]byte(c.Args[0]), &config); err != nil {
		return err
	}
	start := func() (*server.Server, error) {
		o, err := config.options()
		if err != nil {
			return nil, err
		}
		s, err := server.NewServer(o)
		if err != nil {
			return nil, err
		}
		s.Start()
		if !s.ReadyForConnections(soon) {
			return nil, errors.New("the server does not start")
		}
		return s, nil
	}
	s, err := start()
	if err != nil {
		return err
	}
	c.Say("ready")
	for {
		line, err := c.Hear()
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case errors.Is(err, io.EOF):
			s.Shutdown()
			s.WaitForShutdown()
			return nil
		case err != nil:
			return err
		case obey(c, line):
		case word == "slow":
			c.Say(fmt.Sprint("slow ", s.NumSlowConsumers()))
		case word == "grow":
			n, err := strconv.ParseInt(rest, 10, 64)
			if err != nil {
				return err
			}
			s.Shutdown()
			s.WaitForShutdown()
			if err := c.GrowDisk(n); err != nil {
				return err
			}
			config.MaxStore = n
			if s, err = start(); err != nil {
				return err
			}
			c.Say("grown")
		}
	}
}

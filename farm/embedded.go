package farm

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// An embedded is a server in this process.
type embedded struct {
	srv    *server.Server
	token  string
	listen bool
	remove string // a temporary directory, or ""
}

// startEmbedded starts a server that listens nowhere, or on the loopback interface.
func startEmbedded(o *Options) (_ *embedded, err error) {
	e := &embedded{token: rand.Text(), listen: o.Listen}
	dir := o.Dir
	if dir == "" {
		if dir, err = os.MkdirTemp("", "heddle-farm-"); err != nil {
			return nil, err
		}
		e.remove = dir
	}
	e.srv, err = server.NewServer(&server.Options{
		ServerName:         "heddle-" + o.Name,
		Host:               "127.0.0.1",
		Port:               server.RANDOM_PORT,
		DontListen:         !o.Listen,
		Authorization:      e.token,
		JetStream:          true,
		StoreDir:           dir,
		JetStreamMaxStore:  o.MaxStore,
		JetStreamMaxMemory: 64 << 20,
		MaxPayload:         1 << 20,
		NoLog:              true,
		NoSigs:             true,
	})
	if err != nil {
		e.close()
		return nil, err
	}
	e.srv.Start()
	if !e.srv.ReadyForConnections(20 * time.Second) {
		e.close()
		return nil, errors.New("farm: the server in this process does not start")
	}
	return e, nil
}

func (e *embedded) options() []nats.Option {
	return []nats.Option{nats.InProcessServer(e.srv), nats.Token(e.token)}
}

// url returns how others reach the server, or "".
func (e *embedded) url() string {
	addr, ok := e.srv.Addr().(*net.TCPAddr)
	if !e.listen || !ok {
		return ""
	}
	return (&url.URL{Scheme: "nats", User: url.User(e.token),
		Host: fmt.Sprintf("127.0.0.1:%d", addr.Port)}).String()
}

func (e *embedded) close() {
	if e.srv != nil {
		e.srv.Shutdown()
		e.srv.WaitForShutdown()
	}
	if e.remove != "" {
		_ = os.RemoveAll(e.remove)
	}
}

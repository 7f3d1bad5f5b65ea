package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/hibiken/asynq"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/heddle-go/heddle/assets/build/remote"
	"github.com/heddle-go/heddle/assets/pipes"
	"github.com/heddle-go/heddle/farm"
)

// roleVariable says which process of a bench this is, and orderVariable what it is given.
const roleVariable, orderVariable = "FARM_BENCH_ROLE", "FARM_BENCH_ORDER"

// The roles.
const (
	roleFarm   = "farm worker"
	roleNATS   = "nats worker"
	roleAsynq  = "asynq worker"
	roleServer = "server" // of a cluster
)

// An order is what a process is given.
type order struct {
	URL   string // of a server, or the socket of Redis
	Slots int    // jobs at a time

	// Of a server: itself and the others.
	Node, Token, Dir string
	Port, Routes     int
	Others           []string
}

// A process is one that was started. It ends when stop is called, and when this process ends.
type process struct {
	cmd *exec.Cmd
	in  io.Closer
}

// start starts a process of this program, and waits until it is ready.
func start(ctx context.Context, role string, o order) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.CommandContext(ctx, self)}
	p.cmd.Env = append(os.Environ(), roleVariable+"="+role, orderVariable+"="+string(text))
	p.cmd.Stderr = os.Stderr
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		return nil, errors.Join(fmt.Errorf("a process (%s) did not begin: %w", role, err), p.stop())
	}
	return p, nil
}

// stop ends a process, and waits for that.
func (p *process) stop() error {
	_ = p.in.Close()
	return p.cmd.Wait()
}

// startAll starts so many processes alike.
func startAll(ctx context.Context, n int, role string, o order) (ps []*process, err error) {
	for range n {
		p, err := start(ctx, role, o)
		if err != nil {
			return nil, errors.Join(err, stopAll(ps))
		}
		ps = append(ps, p)
	}
	return ps, nil
}

func stopAll(ps []*process) (err error) {
	for _, p := range ps {
		err = errors.Join(err, p.stop())
	}
	return err
}

// play is a process of a bench, until its input ends.
func play(role string, in io.Reader, out io.Writer) error {
	var o order
	if err := json.Unmarshal([]byte(os.Getenv(orderVariable)), &o); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, in)
		cancel()
	}()
	ready := func() { fmt.Fprintln(out, "ready") }
	switch role {
	case roleFarm:
		return playFarm(ctx, o, ready)
	case roleNATS:
		return playNATS(ctx, o, ready)
	case roleAsynq:
		return playAsynq(ctx, o, ready)
	case roleServer:
		return playServer(ctx, o, ready)
	}
	return fmt.Errorf("no role %q", role)
}

// job is what is run everywhere: its result is as long as its input, and begins with the sum of it.
func job(in []byte) []byte {
	out := bytes.Clone(in)
	sum := sha256.Sum256(in)
	copy(out, sum[:])
	return out
}

// jobName is that of job where it needs one.
const jobName = "sum"

func playFarm(ctx context.Context, o order, ready func()) error {
	f, err := farm.Open(ctx, farm.Options{URL: o.URL})
	if err != nil {
		return err
	}
	defer f.Close()
	ready()
	return f.Work(ctx, benchJobs(), farm.WorkOptions{Slots: o.Slots})
}

func benchJobs() *farm.Jobs {
	jobs := farm.NewJobs()
	jobs.RegisterBytes(jobName, "1", func(_ context.Context, in []byte) ([]byte, error) {
		return job(in), nil
	})
	remote.Register(jobs, pipes.Limits{})
	return jobs
}

func playNATS(ctx context.Context, o order, ready func()) error {
	nc, err := nats.Connect(o.URL)
	if err != nil {
		return err
	}
	defer nc.Close()
	for range o.Slots { // the messages of one subscription are one at a time
		_, err := nc.QueueSubscribe(jobName, "workers", func(m *nats.Msg) {
			_ = m.Respond(job(m.Data))
		})
		if err != nil {
			return err
		}
	}
	if err := nc.Flush(); err != nil {
		return err
	}
	ready()
	<-ctx.Done()
	return nil
}

func playAsynq(ctx context.Context, o order, ready func()) error {
	at := asynq.RedisClientOpt{Network: "unix", Addr: o.URL}
	redis, err := redisClient(at)
	if err != nil {
		return err
	}
	defer redis.Close()
	srv := asynq.NewServer(at, asynq.Config{Concurrency: o.Slots, LogLevel: asynq.FatalLevel,
		TaskCheckInterval: time.Millisecond}) // or an idle worker looks once a second
	mux := asynq.NewServeMux()
	mux.HandleFunc(jobName, func(ctx context.Context, t *asynq.Task) error {
		id := t.ResultWriter().TaskID()
		return redis.RPush(ctx, replies, append([]byte(id+" "), job(t.Payload())...)).Err()
	})
	if err := srv.Start(mux); err != nil {
		return err
	}
	ready()
	<-ctx.Done()
	srv.Shutdown()
	return nil
}

// playServer is a node of a cluster.
func playServer(ctx context.Context, o order, ready func()) error {
	opts := &server.Options{ServerName: o.Node, Host: "127.0.0.1", Port: o.Port,
		Authorization: o.Token, JetStream: true, StoreDir: o.Dir, MaxPayload: 1 << 20, NoLog: true,
		NoSigs: true, Cluster: server.ClusterOpts{Name: "bench", Host: "127.0.0.1", Port: o.Routes,
			Username: "node", Password: o.Token},
		Routes: server.RoutesFromStr(strings.Join(o.Others, ","))}
	s, err := server.NewServer(opts)
	if err != nil {
		return err
	}
	s.Start()
	defer s.WaitForShutdown()
	defer s.Shutdown()
	if !s.ReadyForConnections(20 * time.Second) {
		return errors.New("the server does not start")
	}
	ready()
	<-ctx.Done()
	return nil
}

// withToken returns the URL of a server.
func withToken(token string, port int) string {
	return (&url.URL{Scheme: "nats", User: url.User(token),
		Host: fmt.Sprintf("127.0.0.1:%d", port)}).String()
}

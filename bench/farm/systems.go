package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/hibiken/asynq"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/redis/go-redis/v9"

	"github.com/heddle-go/heddle/farm"
	"github.com/heddle-go/heddle/taskgraph"
)

// A system runs jobs somewhere. Any goroutine may call it.
type system struct {
	name  string
	call  func(ctx context.Context, in []byte) ([]byte, error)
	close func() error
}

// slots is how many jobs a worker process has at a time, in each system.
const slots = 4

// A maker makes a system with so many worker processes.
type maker struct {
	name string
	make func(ctx context.Context, procs int) (*system, error)
}

// callFarm returns the function that calls a job of a farm, and what ends it. All goes to workers.
func callFarm(f *farm.Farm) (call func(context.Context, []byte) ([]byte, error),
	close func() error) {
	sys := taskgraph.Start(taskgraph.Options{Workers: 2})
	return func(ctx context.Context, in []byte) ([]byte, error) {
			return farm.Call(sys, f, jobName, farm.Bytes(in),
				farm.CallOptions{Version: "1", Where: farm.Remote}).Get(ctx)
		}, func() error {
			return errors.Join(f.Close(), sys.Shutdown(context.Background()))
		}
}

// inProcess is a farm whose server and worker are in this process.
func inProcess(ctx context.Context, _ int) (*system, error) {
	f, err := farm.Open(ctx, farm.Options{})
	if err != nil {
		return nil, err
	}
	work, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- f.Work(work, benchJobs(), farm.WorkOptions{Slots: slots}) }()
	call, leave := callFarm(f)
	return &system{call: call, close: func() error {
		cancel()
		return errors.Join(<-ended, leave())
	}}, nil
}

// oneServer is a farm whose server is in this process, and workers in others.
func oneServer(ctx context.Context, procs int) (*system, error) {
	f, err := farm.Open(ctx, farm.Options{Listen: true})
	if err != nil {
		return nil, err
	}
	ps, err := startAll(ctx, procs, roleFarm, order{URL: f.URL(), Slots: slots})
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	call, leave := callFarm(f)
	return &system{call: call, close: func() error {
		return errors.Join(stopAll(ps), leave())
	}}, nil
}

// cluster is a farm on three servers, each a process, which all keep each message.
func cluster(ctx context.Context, procs int) (_ *system, err error) {
	dir, err := os.MkdirTemp("", "heddle-bench-")
	if err != nil {
		return nil, err
	}
	var nodes, ps []*process
	stop := func() error {
		return errors.Join(stopAll(ps), stopAll(nodes), os.RemoveAll(dir))
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, stop())
		}
	}()
	const n = 3
	ports, err := freePorts(2 * n)
	if err != nil {
		return nil, err
	}
	token := rand.Text()
	var urls []string
	ready := make(chan error, n)
	var mu sync.Mutex
	for i := range n {
		o := order{Node: fmt.Sprintf("node%d", i), Token: token, Port: ports[i], Routes: ports[n+i],
			Dir: filepath.Join(dir, fmt.Sprint(i))}
		urls = append(urls, withToken(token, ports[i]))
		for k := range n {
			if k != i {
				o.Others = append(o.Others, (&url.URL{Scheme: "nats",
					User: url.UserPassword("node", token),
					Host: fmt.Sprintf("127.0.0.1:%d", ports[n+k])}).String())
			}
		}
		go func() {
			p, err := start(ctx, roleServer, o)
			if err == nil {
				mu.Lock()
				nodes = append(nodes, p)
				mu.Unlock()
			}
			ready <- err
		}()
	}
	for range n {
		err = errors.Join(err, <-ready)
	}
	if err != nil {
		return nil, err
	}
	all := strings.Join(urls, ",")
	var f *farm.Farm
	for { // until there is a leader
		try, cancel := context.WithTimeout(ctx, 4*time.Second)
		f, err = farm.Open(try, farm.Options{URL: all, Replicas: n})
		if cancel(); err == nil {
			break
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(200 * time.Millisecond):
		}
	}
	if ps, err = startAll(ctx, procs, roleFarm, order{URL: all, Slots: slots}); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	call, leave := callFarm(f)
	return &system{call: call, close: func() error { return errors.Join(leave(), stop()) }}, nil
}

// freePorts returns ports that nobody listens on now.
func freePorts(n int) (ports []int, err error) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

// plainNATS is requests and replies through a server in this process: nothing is kept, and nothing
// is tried again.
func plainNATS(ctx context.Context, procs int) (*system, error) {
	token := rand.Text()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT,
		Authorization: token, MaxPayload: 1 << 20, NoLog: true, NoSigs: true})
	if err != nil {
		return nil, err
	}
	s.Start()
	stop := func() error {
		s.Shutdown()
		s.WaitForShutdown()
		return nil
	}
	if !s.ReadyForConnections(20 * time.Second) {
		return nil, errors.Join(errors.New("the server does not start"), stop())
	}
	at := withToken(token, s.Addr().(*net.TCPAddr).Port)
	nc, err := nats.Connect(at)
	if err != nil {
		return nil, errors.Join(err, stop())
	}
	ps, err := startAll(ctx, procs, roleNATS, order{URL: at, Slots: slots})
	if err != nil {
		nc.Close()
		return nil, errors.Join(err, stop())
	}
	return &system{call: func(ctx context.Context, in []byte) ([]byte, error) {
		m, err := nc.RequestWithContext(ctx, jobName, in)
		if err != nil {
			return nil, err
		}
		return m.Data, nil
	}, close: func() error {
		err := stopAll(ps)
		nc.Close()
		return errors.Join(err, stop())
	}}, nil
}

// replies is the list by which results of Asynq's jobs come back: Asynq itself keeps results to be
// asked for, and tells nobody.
const replies = "bench:replies"

func redisClient(at asynq.RedisClientOpt) (*redis.Client, error) {
	c, ok := at.MakeRedisClient().(*redis.Client)
	if !ok {
		return nil, errors.New("asynq makes another client than it did")
	}
	return c, nil
}

// redisProgram returns the server of Redis, or "".
func redisProgram() (string, error) {
	file, err := exec.LookPath("redis-server")
	if err != nil && os.Getenv("REDIS_NEEDED") == "" {
		return "", nil
	}
	return file, err
}

// onRedis is Asynq on a redis-server of its own, which listens on a socket in a directory that only
// this user reads, and appends to a file as JetStream does, synced once a second.
func onRedis(ctx context.Context, procs int) (_ *system, err error) {
	file, err := redisProgram()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "heddle-bench-")
	if err != nil {
		return nil, err
	}
	socket := filepath.Join(dir, "redis.sock")
	srv := exec.CommandContext(ctx, file, "--port", "0", "--unixsocket", socket, "--dir", dir,
		"--appendonly", "yes", "--appendfsync", "everysec", "--save", "", "--daemonize", "no",
		"--logfile", filepath.Join(dir, "log"))
	if err := srv.Start(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	at := asynq.RedisClientOpt{Network: "unix", Addr: socket, PoolSize: callers + 8}
	client := asynq.NewClient(at)
	r, err := redisClient(at)
	if err != nil {
		return nil, err
	}
	var ps []*process
	gone, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	stop := func() error {
		err := stopAll(ps)
		cancel()
		wg.Wait()
		err = errors.Join(err, client.Close(), r.Close(), srv.Process.Signal(os.Interrupt))
		_ = srv.Wait() // it says that it was interrupted
		return errors.Join(err, os.RemoveAll(dir))
	}
	for r.Ping(ctx).Err() != nil {
		select {
		case <-ctx.Done():
			return nil, errors.Join(context.Cause(ctx), stop())
		case <-time.After(20 * time.Millisecond):
		}
	}
	if ps, err = startAll(ctx, procs, roleAsynq, order{URL: socket, Slots: slots}); err != nil {
		return nil, errors.Join(err, stop())
	}
	var mu sync.Mutex
	waiting := map[string]chan []byte{}
	wg.Go(func() {
		for gone.Err() == nil {
			got, err := r.BLPop(gone, time.Second, replies).Result()
			if err != nil || len(got) != 2 {
				continue
			}
			id, out, _ := bytes.Cut([]byte(got[1]), []byte(" "))
			mu.Lock()
			c := waiting[string(id)]
			delete(waiting, string(id))
			mu.Unlock()
			if c != nil {
				c <- out
			}
		}
	})
	return &system{call: func(ctx context.Context, in []byte) ([]byte, error) {
		id, c := rand.Text(), make(chan []byte, 1)
		mu.Lock()
		waiting[id] = c
		mu.Unlock()
		_, err := client.EnqueueContext(ctx, asynq.NewTask(jobName, in), asynq.TaskID(id),
			asynq.Retention(time.Hour))
		if err != nil {
			return nil, err
		}
		select {
		case out := <-c:
			return out, nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}, close: stop}, nil
}

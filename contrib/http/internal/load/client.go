package load

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"
)

// Options say how much is sent.
type Options struct {
	Ways    []string      // by name; empty: all
	Workers int           // of each way, and the processors of the server
	Turns   int           // how often each way has its turn
	For     time.Duration // how long requests are sent in a turn
	Clicks  float64       // the processor time that clicks ask for, in processors
	Batch   float64       // the same of batch work

	// Server returns the command of a server process for a way, see Serve.
	Server func(ctx context.Context, way string) *exec.Cmd
}

// A Result is what a client saw of a way in a turn.
type Result struct {
	Way           string
	P50, P99, Max time.Duration // of clicks that were served
	Clicks        int           // those
	ClicksRefused int           // with status 503
	ClicksFailed  int           // in another way
	PerSecond     float64       // batch requests served, until the last one was
	Batch         int           // those
	BatchRefused  int
	BatchFailed   int
}

// A server is a process that serves.
type server struct {
	url string
	cmd *exec.Cmd
	end func() error
}

func (o *Options) start(ctx context.Context, way string) (*server, error) {
	cmd := o.Server(ctx, way)
	more := 0
	for _, w := range ways {
		if w.name == way {
			more = w.more
		}
	}
	cmd.Env = append(cmd.Environ(), "GOMAXPROCS="+strconv.Itoa(o.Workers+more))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	end := func() error { return errors.Join(in.Close(), cmd.Wait()) }
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, errors.Join(err, end())
	}
	return &server{url: "http://" + strings.TrimSpace(address), cmd: cmd, end: end}, nil
}

// costs returns how long the server takes for a click and for a batch request when it has nothing
// else to do: the least of several.
func (s *server) costs(ctx context.Context) (click, batch time.Duration, err error) {
	least := func(path string) (least time.Duration) {
		for range 8 {
			r, e := http.NewRequestWithContext(ctx, "GET", s.url+path, http.NoBody)
			if e != nil {
				err = e
				return 0
			}
			begin := time.Now()
			response, e := http.DefaultClient.Do(r)
			if e != nil {
				err = e
				return 0
			}
			err = errors.Join(err, response.Body.Close())
			if took := time.Since(begin); least == 0 || took < least {
				least = took
			}
		}
		return least
	}
	click, batch = least("/click"), least("/batch")
	http.DefaultClient.CloseIdleConnections()
	return click, batch, err
}

// attack sends requests at a rate, and returns the results.
func attack(ctx context.Context, url string, perSecond float64, d time.Duration) []*vegeta.Result {
	a := vegeta.NewAttacker(vegeta.MaxWorkers(512), vegeta.Connections(512),
		vegeta.Timeout(20*time.Second))
	pacer := vegeta.Rate{Freq: int(perSecond * 100), Per: 100 * time.Second}
	target := vegeta.NewStaticTargeter(vegeta.Target{Method: "GET", URL: url})
	stop := context.AfterFunc(ctx, func() { a.Stop() })
	defer stop()
	var list []*vegeta.Result
	for r := range a.Attack(target, pacer, d, "") {
		list = append(list, r)
	}
	return list
}

// turn attacks a server of the given way.
func (o *Options) turn(ctx context.Context, way string, clicks, batch float64) (Result, error) {
	s, err := o.start(ctx, way)
	if err != nil {
		return Result{}, err
	}
	defer http.DefaultClient.CloseIdleConnections()
	var clicked, batched []*vegeta.Result
	var wg sync.WaitGroup
	wg.Go(func() { batched = attack(ctx, s.url+"/batch", batch, o.For) })
	wg.Go(func() { clicked = attack(ctx, s.url+"/click", clicks, o.For) })
	wg.Wait()
	if err := s.end(); err != nil {
		return Result{}, fmt.Errorf("the server: %w", err)
	}
	return result(way, clicked, batched), context.Cause(ctx)
}

func result(way string, clicked, batched []*vegeta.Result) Result {
	r := Result{Way: way}
	var took []time.Duration
	for _, c := range clicked {
		switch c.Code {
		case http.StatusOK:
			took = append(took, c.Latency)
		case http.StatusServiceUnavailable:
			r.ClicksRefused++
		default:
			r.ClicksFailed++
		}
	}
	slices.Sort(took)
	if r.Clicks = len(took); r.Clicks > 0 {
		r.P50, r.P99, r.Max = took[len(took)/2], took[len(took)*99/100], took[len(took)-1]
	}
	var first, last time.Time
	for _, b := range batched {
		if first.IsZero() || b.Timestamp.Before(first) {
			first = b.Timestamp
		}
		switch b.Code {
		case http.StatusOK:
			r.Batch++
			if b.End().After(last) {
				last = b.End()
			}
		case http.StatusServiceUnavailable:
			r.BatchRefused++
		default:
			r.BatchFailed++
		}
	}
	if r.Batch > 0 {
		r.PerSecond = float64(r.Batch) / last.Sub(first).Seconds()
	}
	return r
}

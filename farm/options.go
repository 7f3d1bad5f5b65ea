package farm

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/heddle-go/heddle/taskgraph/trace"
)

// Options configures a farm. The zero value is usable: a server inside this process, which nobody
// else can reach.
type Options struct {
	// Jobs are the functions that this process can run itself; nil: none.
	Jobs *Jobs

	// URL is that of the NATS server, or several with commas between them. Empty: a server is
	// started in this process. NATS are further options of the connection: credentials, TLS.
	URL  string
	NATS []nats.Option

	// Name keeps farms on one server apart: it begins the names of streams and subjects. Letters,
	// digits, '-' and '_'. Default "heddle".
	Name string

	// Replicas is how many nodes of a cluster keep each message. Default 1.
	Replicas int

	// Listen makes the server in this process listen on a free port of the loopback interface, for
	// worker processes of this machine, which are given [Farm.URL]. It holds a random token.
	Listen bool

	// Dir is where the server in this process keeps its streams. Empty: a temporary directory,
	// which Close removes.
	Dir string

	// MaxStore bounds what that server stores, in bytes. Default 4 GiB.
	MaxStore int64

	// MaxQueued is how many jobs of each priority wait at most; a call beyond that waits until
	// there is room. Default 1,000,000.
	MaxQueued int64

	// KeepResults is how long results are kept. Default: for ever.
	KeepResults time.Duration

	// InlineLimit is the size in bytes up to which an argument or a result travels in a message.
	// Beyond it goes through the object store, in chunks of 128 KiB. Default 64 KiB, at most
	// 512 KiB.
	InlineLimit int

	// MemoryLimit is the most bytes that [Input.Bytes] and [Result.Bytes] return; what is larger is
	// read as a stream. Default 64 MiB.
	MemoryLimit int64

	// AckWait is how long nothing may be heard of a worker before its job is given to another one;
	// a worker that runs a job is heard of three times in it. Default 10 s, at least 100 ms. That
	// of the first worker that has a job counts, for all.
	AckWait time.Duration

	// MaxDeliver is how often a job is delivered before it is given up. Default 5.
	MaxDeliver int

	// RetryDelay is how long a job that has failed waits for its next attempt, doubled for each
	// one. Default 100 ms.
	RetryDelay time.Duration

	// Recheck is how long a call waits for a result to be announced before it looks for it, doubled
	// each time up to 16 times as long. Default 1 s.
	Recheck time.Duration

	// Trace and Logger, if not nil, are told for each call where it runs, and why.
	Trace  *trace.Recorder
	Logger *slog.Logger

	// Observe, if not nil, is called for everything that happens to calls and jobs in this process.
	// It must not block; it may be called by many goroutines at a time.
	Observe func(Note)
}

// A Note is something that has happened.
type Note struct {
	At      time.Time
	What    What
	Key     Hash   // of the piece of work
	Job     string // with its version, as "name version"
	Worker  string // of what a worker does
	Attempt int    // the number of the delivery
	Result  Hash   // of NoteCompleted, NoteDuplicate and NoteSettled that succeeded: its content
	Err     error
}

// What says what a [Note] is about.
type What uint8

const (
	NoteCalled    What = iota + 1 // a call begins
	NoteQueued                    // its job is in the queue, by this call or already
	NoteLocal                     // it runs in the calling process
	NoteDelivered                 // a worker has got it
	NoteFound                     // a worker finds that it has a result
	NoteRun                       // its function is called
	NoteFailed                    // the function failed
	NoteCompleted                 // this result is the one that counts
	NoteDuplicate                 // there was one already: this one does not count
	NoteDead                      // it is given up
	NoteAside                     // a message that is none is put aside
	NoteSettled                   // the call has its result, or Err
	NoteGivenBack                 // a worker without a free slot gives it back before it has looked
	NoteForgotten                 // the server gives its message to nobody: it is queued again
)

var whatNames = [...]string{"", "called", "queued", "local", "delivered", "found", "run", "failed",
	"completed", "duplicate", "dead", "aside", "settled", "given back", "forgotten"}

// String returns the kind in one word.
func (w What) String() string {
	if int(w) < len(whatNames) {
		return whatNames[w]
	}
	return fmt.Sprintf("what %d", w)
}

// validate fills in the defaults.
func (o *Options) validate() error {
	set(&o.Name, "heddle")
	set(&o.Replicas, 1)
	set(&o.MaxStore, 4<<30)
	set(&o.MaxQueued, 1_000_000)
	set(&o.InlineLimit, 64<<10)
	set(&o.MemoryLimit, 64<<20)
	set(&o.AckWait, 10*time.Second)
	set(&o.MaxDeliver, 5)
	set(&o.RetryDelay, 100*time.Millisecond)
	set(&o.Recheck, time.Second)
	if o.Jobs == nil {
		o.Jobs = NewJobs()
	}
	err := checkName(o.Name)
	if err == nil && token(o.Name) != o.Name {
		err = fmt.Errorf("%w: the name %q of a farm", ErrInvalid, o.Name)
	}
	switch {
	case err != nil:
		return err
	case o.InlineLimit < 0 || o.InlineLimit > maxInline:
		return fmt.Errorf("%w: InlineLimit %d", ErrInvalid, o.InlineLimit)
	case o.AckWait < 100*time.Millisecond || o.MaxDeliver < 0 || o.RetryDelay < 0 ||
		o.MemoryLimit < 0 || o.Replicas < 0 || o.KeepResults < 0 || o.MaxQueued < 0 ||
		o.MaxStore < 0 || o.Recheck < 0:
		return fmt.Errorf("%w: an option is out of its range", ErrInvalid)
	}
	return nil
}

func set[T comparable](p *T, v T) {
	var zero T
	if *p == zero {
		*p = v
	}
}

package farm

import (
	"errors"
	"fmt"
)

var (
	// ErrClosed is the failure of calls that were open when their farm was closed.
	ErrClosed = errors.New("farm: closed")

	// ErrDead is wrapped by a *[JobError]: the job was given up after so many attempts, or at once
	// because its error was [Permanent].
	ErrDead = errors.New("farm: the job was given up")

	// ErrUnknown says that no function of that name is registered here, and that there is no farm
	// where it could be.
	ErrUnknown = errors.New("farm: no such job")

	// ErrTooLarge is returned for what is beyond a limit of [Options].
	ErrTooLarge = errors.New("farm: too large")

	// ErrMissing is wrapped by the answer that the farm does not have a content: nobody has stored
	// it, or it was removed.
	ErrMissing = errors.New("farm: no such content")

	// ErrInvalid is wrapped by what is wrong with a name, a message or an option.
	ErrInvalid = errors.New("farm: invalid")
)

// A JobError is the failure of a job: the function returned an error or panicked, or its worker
// ended in the middle of it, as often as is allowed.
type JobError struct {
	Job, Version string
	Attempts     int    // how often it was delivered
	Worker       string // who gave it up
	Message      string // the last error
}

// Error says which job failed and why.
func (e *JobError) Error() string {
	return fmt.Sprintf("farm: job %s %s failed after %d attempts: %s", e.Job, e.Version, e.Attempts,
		e.Message)
}

// Unwrap returns ErrDead.
func (e *JobError) Unwrap() error { return ErrDead }

// errUnkept is wrapped by what a run comes to whose result the server does not take. It is no
// failure of the job.
var errUnkept = errors.New("farm: the result cannot be stored")

type permanent struct{ err error }

func (p permanent) Error() string { return p.err.Error() }
func (p permanent) Unwrap() error { return p.err }

// Permanent marks an error of a job as one that another attempt would not change: the job is given
// up at once. Permanent(nil) is nil.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return permanent{err}
}

func isPermanent(err error) bool {
	var p permanent
	return errors.As(err, &p)
}

package assets

import (
	"errors"
	"time"
)

// A RetryError is the error of a pipe that may do better later. See PipelineOptions.Retries.
type RetryError struct {
	After time.Duration // not before; 0: as the back-off of the pipeline says
	Err   error
}

// Retry returns an error that says that the pipe may be run again, not before the given time has
// passed if that is more than the back-off of the pipeline.
func Retry(err error, after time.Duration) error { return &RetryError{after, err} }

// Error returns the text of the cause.
func (e *RetryError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *RetryError) Unwrap() error { return e.Err }

// retryable returns how long to wait at least before another attempt, if there is to be one.
func retryable(err error) (time.Duration, bool) {
	var r *RetryError
	if errors.As(err, &r) {
		return r.After, true
	}
	return 0, false
}

// Package history keeps what happened to jobs, in a file that many processes append to, and judges
// it afterwards.
package history

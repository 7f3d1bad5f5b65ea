package assets

// A Lane is what a pipe waits for, of which there is only so much. The pipes of one lane share a
// limit, see PipelineOptions.Limits: no more of them than that run at a time, the most urgent
// first.
type Lane string

// The lanes of every pipeline.
const (
	CPU     Lane = "cpu"     // computes: as many as the system has workers
	Disk    Lane = "disk"    // reads and writes files: 8
	Network Lane = "network" // waits for other machines: 64
)

// OnThread returns the lane of pipes that run on the named thread of that name, one at a time,
// when that pumps its main queue. The system must have the thread.
func OnThread(name string) Lane { return Lane(threadPrefix + name) }

const threadPrefix = "thread:"

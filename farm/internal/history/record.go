package history

// A Kind says what happened.
type Kind string

// What a history has records of. The client writes Submit and Complete, whoever runs a job's
// function Begin and End, whoever was told that the result of its run is the one that counts
// Counted, and whoever has killed a process Killed, when it has seen it dead.
const (
	Submit   Kind = "submit"
	Begin    Kind = "begin"
	End      Kind = "end"
	Counted  Kind = "counted"
	Complete Kind = "complete"
	Killed   Kind = "killed"
)

// A Record is one line of a history. Its fields must be short: a line of more than MaxLine bytes is
// refused. A result that is longer stands there as its hash.
type Record struct {
	Kind    Kind   `json:"k"`
	Process string `json:"p"`           // one life of a process: who comes again has another name
	Call    string `json:"c,omitempty"` // of Submit and Complete: what the client wants once
	Key     string `json:"j,omitempty"` // job, version and input, which the result depends on
	Run     int64  `json:"n,omitempty"` // of Begin and End: which run of that process
	Result  string `json:"r,omitempty"` // of End and Complete
	Failed  bool   `json:"f,omitempty"` // Result is why there is none
}

// Package graphevent provides graph events: one-shot completions that other work can wait
// for, be released by, or hold open, kept in a [Store] that the garbage collector does not
// scan and that makes no garbage for what succeeds.
//
// An [Event] is a value: it can be copied and compared, needs no freeing, and stays valid
// for ever; the zero Event is complete. Programs meet events in two ways. [Store.NewEvent]
// makes a manual event, which completes when it is triggered and when every event given to
// [Event.DontCompleteUntil] has completed. A scheduler, such as package taskgraph, makes a
// [Node] for each task, whose event completes when the task does.
//
// Completing an event releases what was registered on it, in the order of registration, on
// the goroutine that completes it, without recursion and without needing any other
// goroutine. An event ends in success or in failure; a failure reaches everything that
// depends on it.
package graphevent

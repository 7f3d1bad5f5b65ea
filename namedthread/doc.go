// Package namedthread gives a program threads with names: goroutines that stay on one OS
// thread, show their name to the system, and run what others post to them.
//
// A [Registry] holds the threads of a program. [Registry.Attach] turns the calling goroutine into a
// named thread, so that main can be the game thread; [Registry.Start] makes a new one, whose OS
// thread ends with it. Each [Thread] has two queues, main and local, of two priorities. Its
// goroutine works through them in pumps: until they are idle, until a token is returned, until a
// context ends or the thread quits, or for a time. Any goroutine may post a [Runnable]; what is
// accepted is run, or handed back as cancelled when the thread quits.
//
// Code that a thread runs may wait for something with [Thread.Wait]. That is not a pump: it
// leaves what is posted meanwhile where it is, instead of running it under the waiter.
//
// An [ID] packs a request for a thread, queue and priority into one word, which has a text that
// can be parsed. [Current] tells on which named thread the caller is, and
// [Thread.MustBeCurrent] asserts it.
package namedthread

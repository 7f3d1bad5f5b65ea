// Package store keeps what was read from files, in a table by the file's name. Any thread asks for
// files, says how near they are, and gives them back; one thread, the owner, reads them, the
// nearest first, and each one once however many ask.
//
// # One owner, and messages
//
// No memory is shared. The table, the requests that wait and all counts are the owner's alone.
// Whoever asks pushes a message into a [lockfree.StallingQueue], and the owner's answers come back
// through another. So there is nothing to lock, and the order of what was asked of one request is
// the order of the queue. The owner stalls when nothing is waiting; the push that comes after that
// is told to wake it, once, and what waking is, is up to the program: launching a task on a named
// thread, say.
//
// # What is kept
//
// A value stays in the table as long as somebody has it. After that it may stay, as long as there
// is room: when all values together have more bytes than the budget, those go that nobody has, the
// one first whose last user left first. What nobody can drop is kept beyond the budget.
//
// # What can be wrong with a file
//
// A [Fault] is an answer like any other, and one of a few kinds. It is kept for ever, as it takes
// no room: who asks again gets the same answer, and the file is not looked at again. A file that
// was dropped is read anew when it is asked for; if its bytes are others by then it has changed,
// which is a fault, since who had it before has something else.
package store

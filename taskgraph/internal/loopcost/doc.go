// Package loopcost remembers what loops cost: an element of each, by the code of its body or in a
// place of its own, when the next one is measured, and how much time went by in loops that nobody
// helped with although they were worth it together. All of it are hints: whatever is lost between
// two who write at a time is measured again.
package loopcost

// Package spin is the one policy of waiting: how long a waiter spins before it sleeps, and when it
// yields meanwhile.
//
// README.md has the policy, and why it never takes much more than the better of spinning and
// sleeping.
package spin

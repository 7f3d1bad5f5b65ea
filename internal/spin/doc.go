// Package spin is the one policy of waiting: how long whoever waits stays awake before it sleeps,
// and when it lets others have what it holds meanwhile.
//
// README.md has the policy, and why it never takes much more than the better of spinning and
// sleeping.
package spin

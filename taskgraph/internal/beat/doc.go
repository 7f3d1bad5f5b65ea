// Package beat learns how long before a moment a timer must end a sleep, for the sleeper to be
// awake at that moment.
package beat

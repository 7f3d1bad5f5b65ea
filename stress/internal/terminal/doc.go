// Package terminal is how the commands of stress show that they get on.
package terminal

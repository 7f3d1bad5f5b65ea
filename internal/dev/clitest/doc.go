// Package clitest calls a command of package cli in the process of a test, and has the tests that
// every such command passes.
package clitest

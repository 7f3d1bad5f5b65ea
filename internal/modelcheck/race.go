//go:build race

package modelcheck

import "runtime"

// The token that passes between model threads must not order them in the eyes of the race
// detector: else it could never see that the program's own atomics fail to.

//go:norace
func hideSync() { runtime.RaceDisable() }

//go:norace
func showSync() { runtime.RaceEnable() }

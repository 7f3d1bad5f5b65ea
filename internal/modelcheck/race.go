//go:build race

package modelcheck

import "runtime"

// The race detector must not see the token that passes between model threads: otherwise it could
// never find that the program's own atomics fail to order them.

//go:norace
func hideSync() { runtime.RaceDisable() }

//go:norace
func showSync() { runtime.RaceEnable() }

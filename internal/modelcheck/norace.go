//go:build !race

package modelcheck

func hideSync() {}

func showSync() {}

//go:build modelcheck || !(amd64 || arm64)

package flight

func counter() int64 { return 0 }

func hasCounter() bool { return false }

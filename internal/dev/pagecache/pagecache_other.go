//go:build !linux

package pagecache

import "os"

func dropPages(*os.File) error { return ErrUnknown }

func resident(*os.File) (int, error) { return 0, ErrUnknown }

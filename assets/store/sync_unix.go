//go:build unix

package store

import (
	"errors"
	"os"
)

// syncDir waits until the names in a directory are on the disk.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

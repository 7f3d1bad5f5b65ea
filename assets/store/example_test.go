package store_test

import (
	"fmt"
	"os"

	"github.com/heddle-go/heddle/assets"
	"github.com/heddle-go/heddle/assets/store"
)

// What is built from a source is found again by all that it was built from.
func ExampleCache() {
	dir, err := os.MkdirTemp("", "cache")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	c, err := store.OpenCache(dir, store.CacheOptions{})
	if err != nil {
		panic(err)
	}
	defer c.Close()

	source := assets.HashOf([]byte("wall.png"))
	key := store.KeyOf(source.String(), "android-low", "etc2 compressor 3")
	built, err := c.Put([]byte("what takes long to build"))
	if err == nil {
		err = c.Set(key, built)
	}
	if err == nil {
		built, err = c.Lookup(key)
	}
	data, _ := c.Get(built)
	fmt.Printf("%s, %v\n", data, err)
	// Output: what takes long to build, <nil>
}

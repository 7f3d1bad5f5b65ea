package pipes_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"

	"github.com/heddle-go/heddle/assets/pipes"
)

// An archive in memory, under limits.
func ExampleArchive() {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("models/house.json")
	if err == nil {
		_, err = w.Write([]byte(`{"depends": ["wall.png"]}`))
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		panic(err)
	}
	size, few := int64(b.Len()), pipes.Limits{Entries: 10}
	a, err := pipes.ReadArchive(bytes.NewReader(b.Bytes()), size, few)
	if err != nil {
		panic(err)
	}
	_, err = a.Fetch(context.Background(), "models/house.json", 10)
	fmt.Println(a.Names(), err)
	// Output: [models/house.json] pipes: over the limit: bytes of models/house.json: 25, at most 10
}

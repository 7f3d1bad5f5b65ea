package park_test

import (
	"fmt"

	"github.com/heddle-go/heddle/internal/park"
)

func ExampleParker() {
	p := park.New(park.OS)
	var message string
	go func() {
		message = "good morning"
		p.Unpark()
	}()
	p.Park()
	fmt.Println(message)
	// Output: good morning
}

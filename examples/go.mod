module github.com/heddle-go/heddle/examples

go 1.26.0

replace github.com/heddle-go/heddle => ../

require (
	github.com/heddle-go/heddle v0.0.0-00010101000000-000000000000
	github.com/stretchr/testify v1.12.1
	pgregory.net/rapid v1.3.0
)

require (
	go.uber.org/goleak v1.3.0 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

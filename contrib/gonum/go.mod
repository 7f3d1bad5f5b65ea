module github.com/heddle-go/heddle/contrib/gonum

go 1.26.0

replace github.com/heddle-go/heddle => ../..

require github.com/heddle-go/heddle v0.0.0-00010101000000-000000000000

require (
	github.com/stretchr/testify v1.12.1
	gonum.org/v1/gonum v0.17.0
	pgregory.net/rapid v1.3.0
)

require (
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

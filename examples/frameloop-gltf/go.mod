module github.com/heddle-go/heddle/examples/frameloop-gltf

go 1.26.0

replace (
	github.com/heddle-go/heddle => ../..
	github.com/heddle-go/heddle/examples => ../
)

require (
	github.com/heddle-go/heddle v0.0.0-00010101000000-000000000000
	github.com/heddle-go/heddle/examples v0.0.0-00010101000000-000000000000
	github.com/qmuntal/gltf v0.28.0
)

require (
	go.uber.org/goleak v1.3.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

require (
	github.com/stretchr/testify v1.12.1
	go.yaml.in/yaml/v3 v3.0.5 // indirect
)

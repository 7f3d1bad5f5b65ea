module github.com/heddle-go/heddle/taskgraph/trace/export/internal/reader

go 1.26.0

replace github.com/heddle-go/heddle => ../../../../../

require (
	github.com/bufbuild/protocompile v0.14.1
	github.com/heddle-go/heddle v0.0.0-00010101000000-000000000000
	github.com/stretchr/testify v1.12.1
	google.golang.org/protobuf v1.36.12
	pgregory.net/rapid v1.3.0
)

require (
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/sync v0.8.0 // indirect
)

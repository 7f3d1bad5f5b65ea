module github.com/heddle-go/heddle/examples/migration

go 1.26.0

replace github.com/heddle-go/heddle => ../..

require (
	github.com/alitto/pond/v2 v2.7.1
	github.com/heddle-go/heddle v0.0.0-00010101000000-000000000000
	github.com/noneback/go-taskflow v1.2.0
	github.com/panjf2000/ants/v2 v2.12.1
	github.com/sourcegraph/conc v0.3.0
	github.com/stretchr/testify v1.12.1
	golang.org/x/sync v0.24.0
)

require (
	go.uber.org/atomic v1.7.0 // indirect
	go.uber.org/multierr v1.9.0 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

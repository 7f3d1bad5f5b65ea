module github.com/heddle-go/heddle/bench

go 1.26.0

replace github.com/heddle-go/heddle => ../

require (
	github.com/bytedance/gopkg v0.1.4
	github.com/heddle-go/heddle v0.0.0-00010101000000-000000000000
	github.com/puzpuzpuz/xsync/v4 v4.5.0
	github.com/stretchr/testify v1.12.1
	golang.org/x/sys v0.49.0
)

require go.yaml.in/yaml/v3 v3.0.5 // indirect

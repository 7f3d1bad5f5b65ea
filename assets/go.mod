module github.com/heddle-go/heddle/assets

go 1.26.0

replace github.com/heddle-go/heddle => ../

require (
	github.com/BurntSushi/toml v1.6.0
	github.com/fsnotify/fsnotify v1.10.1
	github.com/heddle-go/heddle v0.0.0-00010101000000-000000000000
	github.com/jfreymuth/oggvorbis v1.0.5
	github.com/klauspost/compress v1.20.4
	github.com/qmuntal/gltf v0.28.0
	github.com/stretchr/testify v1.12.1
	go.etcd.io/bbolt v1.5.0
	go.yaml.in/yaml/v3 v3.0.6
	golang.org/x/image v0.48.0
	pgregory.net/rapid v1.3.0
)

require (
	github.com/jfreymuth/vorbis v1.0.2 // indirect
	go.uber.org/goleak v1.3.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
	golang.org/x/text v0.44.0 // indirect
)

module mistakes

go 1.26.0

replace github.com/heddle-go/heddle => ../../..

require github.com/heddle-go/heddle v0.0.0-00010101000000-000000000000

require golang.org/x/sys v0.49.0 // indirect

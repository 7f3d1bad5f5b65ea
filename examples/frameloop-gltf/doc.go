// Command frameloop-gltf is the command frameloop with figures from a glTF 2.0 file, text or
// binary: they walk, ride and dance in the courtyards. A model without a motion stands still, and
// is carried along where a figure walks. Without a file, the figures are a built-in arm.
//
//	go -C examples/frameloop-gltf run .
//	go -C examples/frameloop-gltf run . -png last.png model.glb
//
// The flags are those of frameloop except -make, and -model, which names the file too. With -dir
// the models that stand about are read from a tree of glTF files as well. Package model says what
// is read of a file.
//
// The exit status is 0 if all is well; 1 if the file is missing or damaged, after other bad input,
// if a frame fails, or if the results differ; 2 if the command line cannot be understood.
package main

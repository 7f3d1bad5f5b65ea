// Command frameloop-gltf is the command frameloop with figures from a glTF 2.0 file, text or
// binary: those who walk, ride and dance in the courtyards. A file without a motion stands still
// where they would, and is carried along where they walk.
//
//	cd examples/frameloop-gltf
//	go -C examples/frameloop-gltf run . -png last.png model.glb
//
// The flags are those of frameloop but -make, and -model, which may take the file as well. With
// -dir the models that stand about are from a tree of glTF files too. What is read of a file is
// said in package model.
//
// The exit status is 0 if all is well; 1 if the file is missing or damaged, after other bad input,
// if a frame fails, or if the results differ; 2 if the command line cannot be understood.
package main

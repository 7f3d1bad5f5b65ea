// Command frameloop plays frames of a small game engine without a window: people, machines, falling
// crates, dolls, flags, fire, sound, and a picture of all this. It runs them as tasks and on named
// threads. It plays the same frames in two other ways, one step after the other and with plain
// goroutines and WaitGroups. It checks that all three ways leave the same state and the same
// picture, bit for bit, and prints how long each takes and what Heddle gains. The flag -scene
// chooses where most of the work is.
//
//	go -C examples run ./frameloop
//	go -C examples run ./frameloop -png last.png -lag lag.png -lanes lanes.svg
//	go -C examples run ./frameloop -trace frames.pb -profile -dot frame.dot
//	go -C examples run ./frameloop -http :8123
//
// With -dir it reads models from files as the camera approaches; -make writes some:
//
//	go -C examples run ./frameloop -make models
//	go -C examples run ./frameloop -dir models
//
// The frame is in package examples/internal/frame, whose comment says what to look for there, and
// the engine in examples/internal/engine. The command frameloop-gltf plays the same frames with the
// figures of a glTF file.
//
// The exit status is 0 if all is well; 1 after bad input, if a frame fails, or if the results
// differ; 2 if the command line cannot be understood. A file is written under a temporary name and
// moved into place when it is complete, so a run that fails or is interrupted leaves the old file.
package main

// Command frameloop runs the frame of a small game engine without a window: people, machines,
// crates that fall, dolls, flags, fire, sound, and a picture of it all, as tasks and named
// threads. Scenes differ in where their work is: -scene. It plays the same frames in two other
// ways, one step after the other and with plain goroutines and WaitGroups, shows that all three
// leave the same state and the same picture, bit for bit, and what each costs.
//
//	go -C examples run ./frameloop
//	go -C examples run ./frameloop -png last.png -lag lag.png -lanes lanes.svg
//	go -C examples run ./frameloop -trace frames.pb -profile -dot frame.dot
//	go -C examples run ./frameloop -http :8123
//
// With -dir it reads models from files as the camera comes near; -make writes some:
//
//	go -C examples run ./frameloop -make models
//	go -C examples run ./frameloop -dir models
//
// The frame itself is in package examples/internal/frame, whose comment says what to look for
// there, and what is in the courtyards in examples/internal/engine. The command frameloop-gltf,
// beside this one, plays it with the figures of a glTF file.
//
// The exit status is 0 if all is well; 1 after bad input, if a frame fails, or if the results
// differ; 2 if the command line cannot be understood. Files are written beside the places where
// they belong and moved there when they are whole, so a run that fails or is interrupted leaves
// what was there before.
package main

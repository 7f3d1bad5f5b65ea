// Command assets looks after trees of resources that depend on each other, with the manager and the
// standard pipes of package assets.
//
//	assets index DIR                   # write what there is, with hashes, to DIR/.assets.db
//	assets load DIR|ARCHIVE|URL        # load everything, and say what that took
//	assets graph DIR                   # print what depends on what, in the language DOT
//	assets verify DIR                  # compare the tree with what was indexed
//	assets serve DIR                   # serve the tree by HTTP with ETags
//	assets watch DIR                   # load everything, and again what changes
//
// From a checkout it is run by
//
//	cd assets && go run ./cmd/assets load -serial DIR
//
// which prints, for some models of glTF:
//
//	   type  count  failed    bytes  time in pipes
//	 buffer     24       0   231052         1.1 ms
//	  model     38       0  1954330        98.4 ms
//	texture     17       0   245960       121.0 ms
//	    all     79       0  2431342
//
//	lane  runs  waited for it  ran in it
//	 cpu   470      1932.3 ms   214.7 ms
//	disk    79       557.2 ms     5.8 ms
//
//	112.4 ms with 2 workers, 79 loads, at most 26782700 bytes in flight
//	201.7 ms one by one, 0 failed: speed-up 1.79
//
// What an item waited for a lane is the time until one of its pipes had its turn there and, where
// it fetches, until the budget of bytes in flight had room for it.
//
// What a file is, its name says: wood.png is a texture, wood@android-low.png what takes its place
// with -platform android-low, wood.png.zst is compressed, and what nobody decodes is its bytes.
// Names that begin with a dot are left out. Without an index, load, graph and watch take what they
// find; watch does so in any case. With one, load compares hashes.
//
// A server listens on the loopback interface unless -addr says otherwise. The drawing of graph -svg
// is made by the program dot of Graphviz.
//
// The exit status is 0 if all is well; 1 after bad input, if a resource cannot be loaded, if verify
// finds something, or after an interruption, with which serve and watch end too unless -for ends
// them before; 2 if the command line cannot be understood.
package main

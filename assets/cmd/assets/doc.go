// Command assets looks after trees of resources that depend on each other, with the manager and the
// standard pipes of package assets.
//
//	assets index DIR                   # write what there is, with hashes, to DIR/.assets.db
//	assets load DIR|ARCHIVE|URL        # load everything, and say what that took
//	assets compare DIR                 # load everything in several ways, and say what each took
//	assets graph DIR                   # print what depends on what, in the language DOT
//	assets verify DIR                  # compare the tree with what was indexed
//	assets serve DIR                   # serve the tree by HTTP with ETags
//	assets watch DIR                   # load everything, and again what changes
//	assets generate DIR                # make a tree to be tried out
//
// From a checkout it is run by
//
//	cd assets && go run ./cmd/assets load -serial DIR
//
// which printed, for 83 files of glTF on two cores that others used too, in the middle one of five
// runs (0.52 to 1.14):
//
//	     type  count  failed    bytes  time in pipes
//	   buffer     27       0   244618         2.5 ms
//	    model     36       0  2073281        33.3 ms
//	    other      5       0     7670         0.3 ms
//	  texture     15       0   241094        86.0 ms
//	      all     83       0  2566663
//
//	  lane  runs  waited for it  ran in it
//	   cpu   498      2008.0 ms   113.1 ms
//	  disk    83      1324.5 ms     9.1 ms
//
//	91.7 ms with 2 workers, 83 loads, at most 26740982 bytes in flight
//	72.1 ms one by one, 0 failed: speed-up 0.79
//
// One by one comes second, and has the files in memory.
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

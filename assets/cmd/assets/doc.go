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
//	assets build -out OUT DIR          # make a tree in the forms that a platform loads
//	assets work -farm URL              # encode for builds with -farm URL
//
// From a checkout it is run by
//
//	go -C assets/cmd run ./assets load -serial DIR
//
// which printed, for the files of minetest on two cores that others used much more, in the middle
// one of three runs (0.53 to 1.26):
//
//	     type  count  failed    bytes  time in pipes
//	    other    882       0  3728045       590.5 ms
//	    sound    109       0  2053339      2583.0 ms
//	  texture    855       0   594971       660.6 ms
//	      all   1846       0  6376355
//
//	  lane   runs  waited for it  ran in it
//	   cpu  11076    630690.3 ms  3079.4 ms
//	  disk   1846    130322.7 ms   754.6 ms
//
//	2251.0 ms with 2 workers, 1846 loads, at most 41671447 bytes in flight
//	1656.1 ms one by one, 0 failed; 2114.1 ms again, unobserved: speed-up 0.78
//
// The last two lines compare what nobody looks on, with the files and the memory of the process
// there. Compare does better: each run is a process of its own.
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

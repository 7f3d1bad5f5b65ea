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
// To try it on a tree that it makes, from the root of a checkout:
//
//	go -C assets/cmd run ./assets generate DIR
//	go -C assets/cmd run ./assets compare DIR
//
// Compare and load end with sentences that say how Heddle did beside the others in that run. Each
// run of compare is a new process; -serial of load compares in one process, which has the files and
// the memory already.
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

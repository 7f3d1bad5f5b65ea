// Package migration holds both sides of what docs/migration.md and docs/migration-native.md show:
// programs that use other libraries, and the same programs with Heddle. It has no command. Its
// tests compile and run both sides, compare what they print, and find each snippet of the pages in
// a file:
//
//	go -C examples/migration test -short=false .
//
// Tests of rayon and oneTBB are skipped if those are not installed (on Debian: apt install cargo
// librust-rayon-dev g++ libtbb-dev).
package migration

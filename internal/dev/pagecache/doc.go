// Package pagecache drops files from the memory of the system, without a privilege, and looks
// whether they are there: so that a program can show what it costs to read them from the disk.
package pagecache

// Package osthread asks the operating system about the calling thread and changes it: its
// id, name, priority, the processors it may run on, and how often it was switched. The
// caller locks its goroutine to the thread first (runtime.LockOSThread); otherwise the
// thread may be another one by the time that the call returns.
//
// A function that a platform lacks returns an error that wraps errors.ErrUnsupported, and the
// constant named Has... says so beforehand.
//
//	         ID   SetName   Name  SetPriority  SetAffinity  Affinity  Switches
//	linux    yes  15 bytes  yes   yes          yes          yes       yes
//	windows  yes  yes       yes   yes          first group  -         -
//	freebsd  yes  19 bytes  -     -            -            -         -
//	darwin   yes  63 bytes  -     -            -            -         -
//	others   -    -         -     -            -            -         -
//
// On Linux and Windows a thread that asks for more than PriorityNormal may need a privilege,
// and on Linux one that lowered its priority may need it to come back.
package osthread

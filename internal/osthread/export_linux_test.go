package osthread

// SwitchesIn reads what the kernel says of a thread.
var SwitchesIn = switchesIn

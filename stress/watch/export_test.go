package watch

// LeaksIn is Leaks with so many looks.
var LeaksIn = leaks

// Package patience knows whether a pause pays before a look at a cache line that another side is
// writing: who looks for each single value takes the line away each time, and who leaves the other
// side a moment finds several values at once, if there is another side.
package patience

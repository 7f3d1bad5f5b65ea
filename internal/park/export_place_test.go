//go:build linux && gc && !heddle_nolinkname && !modelcheck && !race && !heddle_count

package park

// ParseStat is what IsRunnableOn reads a line of proc(5) with.
func ParseStat(line []byte) (state byte, processor uint32, ok bool) { return parseStat(line) }

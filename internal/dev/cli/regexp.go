package cli

import (
	"flag"
	"regexp"
)

// RegexpVar adds a flag whose value is a regular expression. It stays nil where the flag is not
// given.
func RegexpVar(fs *flag.FlagSet, to **regexp.Regexp, name, usage string) {
	fs.Func(name, usage, func(text string) (err error) {
		*to, err = regexp.Compile(text)
		return err
	})
}

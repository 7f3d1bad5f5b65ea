package archtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/doc/comment"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The packages whose comments begin with a program, by their folders. Those of a module that
// downloads something are built in its folder.
var programPackages = []struct{ module, dir string }{
	{".", "lockfree"},
	{".", "sleepevent"},
	{".", "namedthread"},
	{".", "graphevent"},
	{".", "taskgraph"},
	{".", "taskgraph/parallel"},
	{".", "taskgraph/future"},
	{".", "taskgraph/tick"},
	{"assets", "assets"},
	{"farm", "farm"},
}

// screenLines is how many lines of go doc a reader sees at once.
const screenLines = 24

// A shownProgram is the program in a package comment or on a page, and what that says that it
// prints.
type shownProgram struct{ text, output string }

// programOf returns the first complete program in the text of a package comment. The paragraph
// "It prints:" and a block with the output follow it.
func programOf(text string) (p shownProgram, err error) {
	blocks := new(comment.Parser).Parse(text).Content
	for i, b := range blocks {
		code, ok := b.(*comment.Code)
		if !ok || !strings.HasPrefix(code.Text, "package main\n") {
			continue
		}
		if i+2 >= len(blocks) {
			return p, errors.New("the program is not followed by what it prints")
		}
		says, _ := blocks[i+1].(*comment.Paragraph)
		output, ok := blocks[i+2].(*comment.Code)
		prints := says != nil && len(says.Text) == 1 && says.Text[0] == comment.Plain("It prints:")
		if !prints || !ok {
			return p, errors.New(`the program is not followed by "It prints:" and a block`)
		}
		return shownProgram{code.Text, output.Text}, nil
	}
	return p, errors.New("the package comment has no program")
}

// onFirstScreen returns an error unless the program ends on the first screen of what go doc prints.
func (p shownProgram) onFirstScreen(page string) error {
	indented := strings.ReplaceAll("\n"+strings.TrimSuffix(p.text, "\n"), "\n", "\n    ")
	indented = strings.ReplaceAll(indented, "\n    \n", "\n\n")
	before, _, found := strings.Cut(page, indented+"\n")
	if !found {
		return errors.New("go doc does not show the program")
	}
	if last := 1 + strings.Count(before+indented, "\n"); last > screenLines {
		return fmt.Errorf("the program ends in line %d of go doc, want at most %d", last,
			screenLines)
	}
	return nil
}

// works returns an error unless the program is formatted, compiles as part of a module, exits with
// status 0 and prints what its comment says.
func (p shownProgram) works(t *testing.T, module string) error {
	out, err := p.run(t, module)
	if err == nil && out != p.output {
		err = fmt.Errorf("it prints\n%s\nand the comment says\n%s", out, p.output)
	}
	return err
}

// run returns what the program prints as part of a module, or an error if it is not formatted, does
// not compile or exits with another status than 0.
func (p shownProgram) run(t *testing.T, module string) (output string, err error) {
	if formatted, err := format.Source([]byte(p.text)); err != nil {
		return "", err
	} else if string(formatted) != p.text {
		return "", fmt.Errorf("gofmt would make it\n%s", formatted)
	}
	if output, err = goRun(t, module, p.text); err != nil {
		err = fmt.Errorf("%w: %s", err, output)
	}
	return output, err
}

// goRun runs a program as a main package of a module, and returns all that it prints.
func goRun(t *testing.T, module, program string) (output string, err error) {
	// The place in the module is the same each time, so the go command finds what it has built.
	temp := t.TempDir()
	file, overlay := filepath.Join(temp, "main.go"), filepath.Join(temp, "overlay.json")
	require.NoError(t, os.WriteFile(file, []byte(program), 0o600))
	root, err := filepath.Abs(filepath.Join("../../..", module))
	require.NoError(t, err)
	place := filepath.Join(root, "testdata", t.Name(), "main.go")
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{place: file}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(overlay, replace, 0o600))
	if module != "." && os.Getenv("COMMANDS_NEEDED") == "" {
		list := exec.Command("go", "list", "-deps", "-overlay="+overlay, place)
		list.Dir, list.Env = root, append(os.Environ(), "GOPROXY=off")
		var lacks strings.Builder
		list.Stderr = &lacks
		if err := list.Run(); err != nil && strings.Contains(lacks.String(), "GOPROXY=off") {
			t.Skipf("module %s needs modules that were never downloaded: %s", module, &lacks)
		}
	}
	run := exec.Command("go", "run", "-overlay="+overlay, place)
	run.Dir = root
	out, err := run.CombinedOutput()
	return string(out), err
}

// withProcesses skips a test that builds programs where none can be built, and in the short form.
func withProcesses(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("no processes here")
	}
	if testing.Short() {
		t.Skip("takes long to build")
	}
}

// The program of a package comment ends on the first screen of go doc, and prints what the comment
// says.
func TestPackagePrograms(t *testing.T) {
	withProcesses(t)
	for _, of := range programPackages {
		t.Run(of.dir, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join("../../..", of.dir)
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, "doc.go"), nil,
				parser.ParseComments|parser.PackageClauseOnly)
			require.NoError(t, err)
			program, err := programOf(file.Doc.Text())
			require.NoError(t, err)
			doc := exec.Command("go", "doc", ".")
			doc.Dir = dir
			page, err := doc.Output()
			require.NoError(t, err)
			require.NoError(t, program.onFirstScreen(string(page)))
			require.NoError(t, program.works(t, of.module))
		})
	}
}

// Each mistake in such a comment is found.
func TestPackageProgramMistakes(t *testing.T) {
	withProcesses(t)
	const hello = "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(\"warp\")\n}\n"
	indent := func(s string) string {
		return strings.ReplaceAll("\t"+strings.TrimSuffix(s, "\n"), "\n", "\n\t") + "\n"
	}
	good := "Package p is.\n\n" + indent(hello) + "\nIt prints:\n\n\twarp\n"
	program, err := programOf(good)
	require.NoError(t, err)
	require.Equal(t, shownProgram{hello, "warp\n"}, program)
	require.NoError(t, program.works(t, "."))
	for _, text := range []string{
		"Package p is.\n\n\tfmt.Println()\n\nIt prints:\n\n\t1\n",
		"Package p is.\n\n" + indent(hello),
		"Package p is.\n\n" + indent(hello) + "\nIt does something.\n\nIt prints:\n\n\twarp\n",
		"Package p is.\n\n" + indent(hello) + "\nIt prints:\n\nNothing.\n",
	} {
		_, err := programOf(text)
		require.Error(t, err, text)
	}
	for name, mistaken := range map[string]shownProgram{
		"output":    {hello, "weft\n"},
		"compile":   {strings.Replace(hello, "Println", "Printline", 1), "warp\n"},
		"parse":     {strings.Replace(hello, "{", "", 1), "warp\n"},
		"format":    {strings.Replace(hello, "\tfmt", "  fmt", 1), "warp\n"},
		"exit code": {strings.Replace(hello, "fmt.Println", "panic", 1), "warp\n"},
	} {
		require.Error(t, mistaken.works(t, "."), name)
	}

	page := "package p // import \"p\"\n\nPackage p is.\n\n" +
		strings.ReplaceAll(indent(hello), "\t", "    ")
	page = strings.ReplaceAll(page, "        fmt", "    \tfmt")
	page = strings.ReplaceAll(page, "    \n", "\n")
	head := strings.Repeat("more\n", screenLines-strings.Count(page, "\n"))
	require.NoError(t, program.onFirstScreen(head+page))
	require.ErrorContains(t, program.onFirstScreen("more\n"+head+page), "line 25")
	require.Error(t, program.onFirstScreen("package p\n"))
}

package syntax_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/dev/syntax"
)

func TestReceiver(t *testing.T) {
	for text, want := range map[string]string{
		"func f() {}":                 "",
		"func (T) f() {}":             "T",
		"func (t *T) f() {}":          "T",
		"func (t (*T)) f() {}":        "T",
		"func (t *T[E]) f() {}":       "T",
		"func (t T[K, V]) f() {}":     "T",
		"func () f() {}":              "",
		"func (t struct{}) f() {}":    "",
		"func (t elsewhere.T) f() {}": "",
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+text, 0)
		require.NoError(t, err, text)
		require.Equal(t, want, syntax.Receiver(file.Decls[0].(*ast.FuncDecl)), text)
	}
}

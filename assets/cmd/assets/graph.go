package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"sync"

	"github.com/heddle-go/heddle/assets"
	"github.com/heddle-go/heddle/assets/pipes"
	"github.com/heddle-go/heddle/internal/dev/cli"
)

// A graphReport is what graph prints.
type graphReport struct {
	damaged int // resources that could not be looked at

	Nodes []node `json:"nodes"`
	Edges []edge `json:"edges"`
}

// A node is a resource.
type node struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	Missing bool   `json:"missing"` // something refers to it, and it is not there
}

// An edge says that one resource depends on another.
type edge struct {
	From string `json:"from"`
	To   string `json:"to"`
	Cut  bool   `json:"cut"` // it closes a circle, and is not waited for
}

// grapher is the command graph.
func grapher() *cli.Command {
	var registry, svg string
	var workers int
	rep := graphReport{Nodes: []node{}, Edges: []edge{}} // none is a list too
	return &cli.Command{
		Name: "assets graph", Arg: "DIR",
		About: "Prints what depends on what in a directory, in the language DOT.",
		Flags: func(fs *flag.FlagSet) {
			registryFlag(fs, &registry)
			workersFlag(fs, &workers)
			fs.StringVar(&svg, "svg", "",
				"draw it into `FILE` instead, by the program dot of Graphviz")
		},
		Work: func(ctx context.Context, call *cli.Call) (err error) {
			if err := checkWorkers(call, workers); err != nil {
				return err
			}
			out, err := cli.Create("svg", svg)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, out.Close()) }()
			if err := graph(ctx, call, registry, workers, &rep); err != nil {
				return err
			}
			if out != nil {
				err = out.Write(func(w io.Writer) error { return rep.draw(ctx, w) })
			} else if !call.JSON {
				rep.dot(call.Text)
			}
			if err == nil && rep.damaged > 0 {
				err = cli.ErrFailed
			}
			return err
		},
		JSON: func() any { return &rep },
	}
}

// graph looks at a directory and fills the report.
func graph(ctx context.Context, call *cli.Call, registry string, workers int, rep *graphReport) (
	err error) {
	t, err := openTree(call.Arg, registry)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	infos, _, err := t.resources()
	if err != nil {
		return err
	}
	there := make(map[assets.ID]bool, len(infos))
	for _, info := range infos {
		there[info.ID] = true
		rep.Nodes = append(rep.Nodes, node{ID: string(info.ID), Type: info.Type})
	}
	found, err := survey(ctx, call, t, infos, workers, false)
	if err != nil {
		return err
	}
	for _, s := range found {
		for _, c := range s.children {
			if !there[c] {
				there[c] = true
				typ, _ := describe(string(c))
				rep.Nodes = append(rep.Nodes, node{ID: string(c), Type: typ, Missing: true})
			}
			rep.Edges = append(rep.Edges,
				edge{string(s.info.ID), string(c), slices.Contains(s.cut, c)})
		}
		if s.err != nil && !errors.Is(s.err, assets.ErrUnknown) {
			rep.damaged++
			fmt.Fprintf(call.Stderr, "assets graph: %s\n", oneLine(s.err))
		}
	}
	return nil
}

// A surveyed resource is one that was looked at for what it depends on.
type surveyed struct {
	info     assets.Info
	children []assets.ID // sorted, each once
	cut      []assets.ID
	err      error // its own, not that of what it depends on
}

// survey looks at resources, but not at the pixels of pictures and the like. With hashes it
// compares those.
func survey(ctx context.Context, call *cli.Call, t *tree, infos []assets.Info, workers int,
	hashes bool) ([]surveyed, error) {
	registry, err := assets.NewMemory(infos...)
	if err != nil {
		return nil, err
	}
	plan := pipes.Standard(pipes.StandardOptions{By: shallow(),
		Disk: map[string]pipes.Fetcher{"": t.files}})
	e, err := start(workers, assets.PipelineOptions{Plan: plan},
		assets.Options{Registry: registry, Types: degrade})
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	children := make(map[assets.ID][]assets.ID)
	note := assets.Pipe{Name: "note", Run: func(_ context.Context, it *assets.Item) error {
		list := slices.Compact(slices.Sorted(slices.Values(it.Children)))
		mu.Lock()
		defer mu.Unlock()
		children[it.ID] = list
		return nil
	}}
	p := e.load.Plan()
	err = errors.Join(p.Insert("dependencies", note), p.Delete("link"))
	if !hashes {
		err = errors.Join(err, p.Delete("verify"))
	}
	out := make([]surveyed, len(infos))
	b := newBar(call, "look", len(infos))
	if err == nil {
		err = e.all(ctx, ids(infos), max(len(infos), 1), func(i int, h *assets.Handle) {
			out[i] = surveyed{info: infos[i], cut: h.Cut(), err: h.Err()}
			b.add()
		})
	}
	b.clear()
	err = errors.Join(err, e.close())
	for i := range out {
		out[i].children = children[out[i].info.ID]
	}
	return out, err
}

// quoted makes a text of DOT of an ID.
var quoted = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// dot prints the graph. Arrows go to what is depended on; dashed boxes are not there, and dashed
// red arrows close circles.
func (rep *graphReport) dot(w io.Writer) {
	fmt.Fprint(w, "digraph assets {\n\trankdir=LR;\n\tnode [shape=box];\n")
	for _, n := range rep.Nodes {
		style := ""
		if n.Missing {
			style = ", style=dashed, color=red"
		}
		fmt.Fprintf(w, "\t\"%s\" [tooltip=\"%s\"%s];\n", quoted.Replace(n.ID),
			quoted.Replace(n.Type), style)
	}
	for _, e := range rep.Edges {
		style := ""
		if e.Cut {
			style = " [style=dashed, color=red]"
		}
		fmt.Fprintf(w, "\t\"%s\" -> \"%s\"%s;\n", quoted.Replace(e.From),
			quoted.Replace(e.To), style)
	}
	fmt.Fprintln(w, "}")
}

// draw has the graph drawn.
func (rep *graphReport) draw(ctx context.Context, w io.Writer) error {
	var in, wrong bytes.Buffer
	rep.dot(&in)
	cmd := cli.Process(ctx, "dot", "-Tsvg")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = &in, w, &wrong
	err := cmd.Run()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return errors.New("there is no program dot here: install Graphviz")
	case err != nil:
		return fmt.Errorf("dot: %w: %s", err, strings.Join(strings.Fields(wrong.String()), " "))
	}
	return nil
}

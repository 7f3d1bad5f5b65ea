package archtest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// rooms is the folder whose packages are drawn on roomPages, each below those that may import it.
const rooms = "taskgraph/internal"

var roomPages = []string{"docs/architecture.md", "docs/adr/0025-rooms.md"}

// drawnRoom matches the line of a room in a drawing.
var drawnRoom = regexp.MustCompile(`(?m)^[ │]*[├└]── (\w+) {2,}\S`)

var roomRule = rule{
	name: "rooms are drawn, and their arrows go down",
	check: func(t *tree) (findings []string) {
		for _, name := range roomPages {
			page := t.get(name)
			if page == nil {
				continue
			}
			var drawn []string
			for _, m := range drawnRoom.FindAllSubmatch(page.text, -1) {
				drawn = append(drawn, string(m[1]))
			}
			for _, p := range t.packages() {
				room, ok := strings.CutPrefix(p.dir, rooms+"/")
				if !ok {
					continue
				}
				at := slices.Index(drawn, room)
				if at < 0 {
					findings = append(findings,
						fmt.Sprintf("%s: %s has no line in the drawing: give it one above those "+
							"that it imports", name, p.dir))
					continue
				}
				for _, s := range p.files {
					for imported, pos := range s.imports {
						dir, _ := inModule(imported)
						other, ok := strings.CutPrefix(dir, rooms+"/")
						if ok && slices.Index(drawn, other) <= at {
							findings = append(findings,
								fmt.Sprintf("%s: room %s imports %s, which is not drawn below it "+
									"in %s: draw it there, or turn the arrow round", t.at(pos),
									room, other, name))
						}
					}
				}
			}
			for _, room := range drawn {
				if t.pkg(rooms+"/"+room) == nil {
					findings = append(findings,
						fmt.Sprintf("%s: draws %s, which is no package of %s", name, room, rooms))
				}
			}
		}
		return findings
	},
	bad: []badTree{
		{"up", roomsDrawn("a", "b", "import _ \""+modulePath+"/"+rooms+"/a\"\n"),
			"room b imports a, which is not drawn below it"},
		{"not drawn", roomsDrawn("a", "c", ""), rooms + "/b has no line in the drawing"},
		{"drawn for nothing", roomsDrawn("a", "b", "", "c"), "draws c, which is no package"},
	},
}

// roomsDrawn returns a tree with rooms a and b, of which b has the given import, and a drawing.
func roomsDrawn(first, second, imports string, more ...string) map[string]string {
	page := "# Rooms\n\n```\n top\n"
	for _, room := range append([]string{first, second}, more...) {
		page += " ├── " + room + "   what it is\n"
	}
	return map[string]string{
		roomPages[0]:        page + "```\n",
		rooms + "/a/doc.go": "// Package a is a room.\npackage a\n",
		rooms + "/b/doc.go": "// Package b is a room.\npackage b\n\n" + imports,
	}
}

package debug

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"path"
	"time"

	"github.com/heddle-go/heddle/taskgraph"
	"github.com/heddle-go/heddle/taskgraph/trace"
	"github.com/heddle-go/heddle/taskgraph/trace/export"
)

// A Handler serves the page of one system. Its fields are set before the first request. A page
// costs the system nothing but while somebody looks at it: then, once a second, what
// [taskgraph.System.Stuck] and a snapshot of the recorder cost.
type Handler struct {
	System *taskgraph.System // the one that the page is about

	Name     string          // of the system, on the page; may be empty
	Trace    *trace.Recorder // what is in Options.Trace; nil: no lanes, runs and times
	Failures *Failures       // what Options.OnFailure adds to; nil: none are shown
}

//go:embed page.html page.css page.js icon.svg
var files embed.FS

var pages = template.Must(template.New("page.html").Funcs(template.FuncMap{
	"took": took, "percent": percent, "ago": ago, "height": height,
	"rest": rest, "ratio": ratio, "width": width, "place": place,
}).ParseFS(files, "page.html"))

// What the page may do: its own style, script and requests, and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
	"img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// crossOrigin turns away requests of pages of other origins that would change something.
var crossOrigin = http.NewCrossOriginProtection()

// ServeHTTP serves the page, and what belongs to it, under whatever path it is mounted at:
//
//	            the page; run=ID: with the lanes of that run of a graph
//	live        the part of it that changes
//	trace.json  the recorder's snapshot, for Perfetto and Chrome
//	trace.pb    the same in Perfetto's own format
//	record      POST with on=1 or on=0: starts or stops the recorder
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	head := w.Header()
	head.Set("Content-Security-Policy", policy)
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Referrer-Policy", "no-referrer")
	head.Set("Cross-Origin-Resource-Policy", "same-origin")
	head.Set("Cache-Control", "no-store")
	if h.System == nil {
		http.Error(w, "debug: Handler.System is nil", http.StatusInternalServerError)
		return
	}
	name := path.Base(r.URL.Path)
	if r.URL.Path == "" || r.URL.Path[len(r.URL.Path)-1] == '/' {
		name = ""
	}
	if name == "record" {
		h.record(w, r)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		head.Set("Allow", "GET, HEAD")
		http.Error(w, "debug: want GET", http.StatusMethodNotAllowed)
		return
	}
	switch name {
	case "":
		h.page(w, r, "page.html")
	case "live":
		h.page(w, r, "live")
	case "page.css", "page.js", "icon.svg":
		http.ServeFileFS(w, r, files, name)
	case "trace.json":
		h.download(w, "application/json", name, export.JSON)
	case "trace.pb":
		h.download(w, "application/octet-stream", name, export.Perfetto)
	default:
		http.Error(w, "debug: there is no such page; does the pattern at which the Handler is "+
			"mounted end in a slash?", http.StatusNotFound)
	}
}

// page writes a template of what the system does now. It is made before anything is sent, so that
// an error is seen as one.
func (h *Handler) page(w http.ResponseWriter, r *http.Request, name string) {
	v, err := h.view(r.URL.Query().Get("run"))
	if err != nil {
		http.Error(w, "debug: "+err.Error(), http.StatusNotFound)
		return
	}
	var page bytes.Buffer
	if err := pages.ExecuteTemplate(&page, name, v); err != nil {
		http.Error(w, "debug: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = page.WriteTo(w) // whoever asked has gone
}

func (h *Handler) record(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", "POST")
		http.Error(w, "debug: want POST", http.StatusMethodNotAllowed)
		return
	}
	if err := crossOrigin.Check(r); err != nil {
		http.Error(w, "debug: "+err.Error(), http.StatusForbidden)
		return
	}
	if h.Trace == nil {
		http.Error(w, "debug: the system has no recorder", http.StatusNotFound)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, 1<<10)
	switch r.PostFormValue("on") {
	case "1":
		h.Trace.Start()
	case "0":
		h.Trace.Stop()
	default:
		http.Error(w, "debug: want on=1 or on=0", http.StatusBadRequest)
		return
	}
	w.Header().Set("Location", ".")
	w.WriteHeader(http.StatusSeeOther)
}

func (h *Handler) download(w http.ResponseWriter, kind, name string,
	write func(io.Writer, *trace.Snapshot) error) {
	if h.Trace == nil {
		http.Error(w, "debug: the system has no recorder", http.StatusNotFound)
		return
	}
	head := w.Header()
	head.Set("Content-Type", kind)
	head.Set("Content-Disposition", fmt.Sprintf("attachment; filename=heddle-%s-%s",
		time.Now().UTC().Format("20060102-150405"), name))
	_ = write(w, h.Trace.Snapshot()) // whoever asked has gone
}

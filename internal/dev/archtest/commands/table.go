package main

import "regexp"

// how says what an entry of the table changes.
type how int

const (
	fill        how = iota // with stands for a placeholder
	need                   // with runs before, in the same shell: the page presupposes it
	smaller                // with runs instead: the same with less to do
	interrupted            // is interrupted after a while: it has no end, or a late one
	never                  // cannot run
	foreign                // cannot run, and names what is not in this tree
)

// An entry is of the commands that match. In what it runs, $T is a folder for this run. The last
// one of a kind other than fill and need counts.
type entry struct {
	how  how
	when *regexp.Regexp
	with string
	why  string // unless it is fill or need
}

func re(text string) *regexp.Regexp { return regexp.MustCompile(text) }

const (
	long    = "takes minutes to hours"
	endless = "runs until it is interrupted"
	figures = "measures for minutes"
)

var table = []entry{
	{fill, re(` \[flags\]$`), " -h", ""},
	{fill, re(`=FILE\b`), "=$$T/file", ""},
	{fill, re(`^go -C MODULE run ./CMD$`), "go -C examples run ./pool", ""},
	{fill, re(`\bSCENE\b`), "quarry", ""},
	{fill, re(`-workers N\b`), "-workers 2", ""},
	{fill, re(`\bSEED=n$`), "SEED=7", ""},
	{fill, re(`=rev$`), "=HEAD~1", ""},
	{fill, re(`\btool NAME$`), "tool benchstat -h", ""},
	{fill, re(`-dir \.\./\.\./other$`), "-dir $$PWD/farm", ""},
	{fill, re(`TREE model\.glb$`), "$$GLTF $$GLTF/BoxTextured-glTF-Binary/BoxTextured.glb", ""},
	{fill, re(`\bmodel\.glb$`), "$$GLTF/BoxTextured-glTF-Binary/BoxTextured.glb", ""},
	{need, re(`\bmodel\.glb$`), "GLTF=/usr/share/assimp/models/glTF2", ""},
	{fill, re(`\bTREE\b`), "$$T/tree", ""},
	{fill, re(`\bBUILT\b`), "$$T/built", ""},
	{fill, re(`\bDIR($|[^=])`), "$$T/tree$1", ""},
	{need, re(`\b(load|build|compare) .*(\bDIR|\bTREE|\bBUILT)$`),
		"[ -e $T/tree ] || go -C assets/cmd run ./assets generate -files 100 $T/tree", ""},
	{need, re(`\bgenerate .*\b(TREE|DIR)$`), "rm -rf $T/tree", ""},
	{need, re(`\bload BUILT$`), "[ -e $T/built ] || " +
		"go -C assets/cmd run ./assets build -out $T/built $T/tree", ""},
	{fill, re(`^go -C contrib/ebiten run .* -frames 0$`), "xvfb-run -a $0", ""},
	{need, re(`assets work$`), "go -C farm run ./cmd/farm serve >$T/url & " +
		"until [ -s $T/url ]; do sleep 1; done; export ASSETS_FARM=$(cat $T/url)", ""},
	{need, re(`-dir models\b`), "go -C examples run ./frameloop -make models", ""},
	{need, re(`(cpu|mem)\.pprof`), "[ -e mem.pprof ] || go test ./taskgraph/trace/profile " +
		"-cpuprofile cpu.pprof -memprofile mem.pprof; cp mem.pprof before.pprof", ""},
	{need, re(`which heddlevet`), "export GOBIN=$PWD/bin PATH=$PWD/bin:$PATH; " +
		"go -C contrib/heddlevet install ./cmd/heddlevet", ""},
	{need, re(`^bin/mutants`),
		"mkdir -p bin; go -C stress/mutants build -o ../../bin/mutants .", ""},

	{smaller, re(`^go -C bench run .*-(only|workload) .*$`), "$0 -quick", figures},
	{smaller, re(`^go -C bench/farm run .*$`), "$0 -rounds 1 -jobs 20", figures},
	{smaller, re(`^(go -C assets/store/compare .*) -benchtime 200ms$`), "$1 -benchtime 1x",
		figures},
	{smaller, re(`^(go vet -vettool.*) \./\.\.\.$`), "$1 ./lockfree ./namedthread",
		"finds misuse in tests of taskgraph, which is there on purpose"},
	{smaller, re(`^make bench$`), "make bench BENCHTIME=1x", figures},
	{smaller, re(`^make bench-compare.*$`),
		"make bench-compare OLD=HEAD PKG=./lockfree BENCH=Stack COUNT=1", figures},
	{smaller, re(`^(make .*)HOURS=(?:8|n)(.*)$`), "${1}HOURS=0.01$2", long},
	{smaller, re(`^make soak$`), "make soak HOURS=0.01", long},
	{smaller, re(`^make selftest N=1000000$`), "make selftest N=1000", long},
	{smaller, re(`^(make record-models .*)EXECUTIONS=50000$`), "${1}EXECUTIONS=500", long},
	{smaller, re(`^make record-race .*$`), "$0 EXECUTIONS=500", long},
	{smaller, re(`^make record-native ONLY=\^Queue/ COUNT=20$`),
		"make record-native ONLY=^Queue/ COUNT=1", long},
	{smaller, re(`^make record-passed TESTED=test-386$`), "make record-passed TESTED=count", long},
	{smaller, re(`^(go run ./stress/zoo) (-table .*)$`), "$1 -only ^Stack/ $2", long},
	{smaller, re(`^(go run ./stress/soak) -for 10m(.*)$`), "$1 -for 10s$2", long},
	{smaller, re(`^go run -tags modelcheck ./stress/soak -chaos all$`), "$0 -for 10s", long},
	{smaller, re(`^make soak-farm.*$`), "make soak-farm FARMJOBS=100", long},
	{smaller, re(`^go -C contrib/ebiten run ./cmd/boids( -check)?$`), "xvfb-run -a $0",
		"needs a screen"},

	{interrupted, re(`^go -C bench run \.( -pairs| -workers|$)`), "", long},
	{interrupted, re(`-http :8123$| work$| -frames 0$`), "", endless},
	{interrupted, re(`^go run ./stress/model .*-executions 20000000$`), "", long},
	{interrupted, re(`^go run ./stress/zoo($| -native| -sample)`), "", long},
	{interrupted, re(`^make (zoo|zoo-native|mutants.*|explore.*|release|race-long|cover.*)$`), "",
		long},
	{interrupted, re(`^bin/mutants($| .*(-for |-again|-quick|-sample))`), "", long},

	{never, re(`^make test-windows$`), "", "needs Wine"},
	{never, re(`^make bare`), "", "needs the user root, and runs .ci/run"},
	{never, re(`^make test-releases`), "",
		"downloads another release of Go, and make release runs it"},
	{never, re(`^go install .*@latest$`), "", "downloads what was released last"},
	{never, re(`^go get \S+$`), "", "is for the module of a reader"},
	{never, re(`^make commands$|^go -C internal/dev/archtest run ./commands$`), "", "is this command"},
	{foreign, re(`^go run ./examples/synth$`), "", "fails, as ADR 35 says"},
	{foreign, re(`^(MODELCHECK_DRAW=drawings )?go test -tags modelcheck -run TestModel(Pops|Queue)$`),
		"", "is for the package that a reader writes; stress/modelcheck tests what the page says"},
	{foreign, re(`^go build -gcflags=-S ./zz`), "", "is about a program of the day"},
}

package e2e

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Limits of the measured processes.
const (
	memoryLimit  = "GOMEMLIMIT=256MiB"
	mostFiles    = 256              // descriptors
	mostResident = 300 << 10        // KiB
	toolTime     = 2 * time.Second  // a tool answers within it, or is ended within it when it is stopped
	loadedTime   = 20 * time.Second // the same in make test, on whatever machine
	slowPattern  = `(a{0,100}){0,9}z`
)

// beside lets a test run in parallel unless it measures time.
func beside(t *testing.T) {
	t.Helper()
	if !stressed() {
		t.Parallel()
	}
}

// bounded returns a command with few descriptors and little memory.
func bounded(cmd *exec.Cmd) *exec.Cmd {
	cmd.Args = append([]string{"sh", "-c", fmt.Sprintf(`ulimit -n %d; exec "$0" "$@"`, mostFiles), cmd.Path}, cmd.Args[1:]...)
	cmd.Path = "/bin/sh"
	cmd.Env = append(cmd.Env, memoryLimit)
	return cmd
}

// outcome is the result of a bounded call.
type outcome struct {
	took, stopped time.Duration // stopped: how long it ran on after it was interrupted; 0: it was not
	resident      int64         // KiB, at most
	text          string
	status        int
}

// boundedTool calls a tool and interrupts it if it takes too long.
func boundedTool(t *testing.T, vault, tool, args string) outcome {
	t.Helper()
	patience := toolTime
	if !stressed() {
		patience = loadedTime
	}
	cmd := bounded(command(t, vault, nil, "tool", tool, args))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { _ = cmd.Wait(); close(done) }()
	resident := watchResident(cmd.Process.Pid)
	var o outcome
	select {
	case <-done:
		o.took = time.Since(begun)
	case <-time.After(patience):
		asked := time.Now()
		_ = cmd.Process.Signal(os.Interrupt)
		select {
		case <-done:
		case <-time.After(patience):
			_ = cmd.Process.Kill()
			<-done
		}
		o.took, o.stopped = time.Since(begun), time.Since(asked)
	}
	o.resident = resident()
	o.text, o.status = out.String(), cmd.ProcessState.ExitCode()
	return o
}

// watchResident measures the maximum memory of a process, in KiB, until the returned function is called. The system's
// own figure would include this process, which the other was forked from.
func watchResident(pid int) func() int64 {
	stop, most := make(chan struct{}), make(chan int64)
	go func() {
		var seen int64
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			if n, ok := residentMax(pid); ok { // less than before: it has become another program
				seen = n
			}
			select {
			case <-tick.C:
			case <-stop:
				most <- seen
				return
			}
		}
	}()
	return func() int64 {
		close(stop)
		return <-most
	}
}

var highWater = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// residentMax returns the maximum memory of a process so far, in KiB.
func residentMax(pid int) (int64, bool) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	m := highWater.FindSubmatch(data)
	if err != nil || m == nil {
		return 0, false
	}
	n, err := strconv.ParseInt(string(m[1]), 10, 64)
	return n, err == nil
}

// hugeVault returns a vault with files that are too large: of the promised sizes if full is set, else a tenth or less.
func hugeVault(t *testing.T, full bool) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "Notes")
	size := func(most, small int) int {
		if full {
			return most
		}
		return small
	}
	write := func(name string, do func(w *bufio.Writer)) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		w := bufio.NewWriterSize(f, 1<<20)
		do(w)
		if err := errors.Join(w.Flush(), f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	write("Home.md", func(w *bufio.Writer) { _, _ = w.WriteString("# Home\n[[large]] [[lines]] [[one line]]\n") })
	write("large.md", func(w *bufio.Writer) { // paragraphs, links, tags and tasks
		for i := 0; i < size(100<<20, 3<<20); {
			n, _ := fmt.Fprintf(w, "## Part %d\nSome words aaaa of [[Home]] and #tag%d, which go on for a while, as notes do.\n- [ ] task %d\n\n", i, i%7, i)
			i += n
		}
	})
	write("lines.md", func(w *bufio.Writer) {
		for i := range size(1_000_000, 50_000) {
			_, _ = fmt.Fprintf(w, "%d\n", i)
		}
	})
	write("one line.md", func(w *bufio.Writer) {
		for range size(50<<20, 2<<20) / 16 {
			_, _ = w.WriteString("aaaa [[Home]] b ")
		}
	})
	sparse := filepath.Join(dir, "sparse.md")
	if err := os.WriteFile(sparse, []byte("# Sparse\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(sparse, 1<<30); err != nil {
		t.Fatal(err)
	}
	return dir
}

// checkOutcome checks a call against the limits.
func checkOutcome(t *testing.T, what string, o outcome) {
	t.Helper()
	t.Logf("%-60.60s %7.2f s  %4d MiB  %s%.60q", what, o.took.Seconds(), o.resident>>10, map[bool]string{true: "interrupted: "}[o.stopped > 0], o.text)
	limit := toolTime
	if !stressed() {
		limit = loadedTime
	}
	if o.stopped >= limit {
		t.Errorf("%s: it ran on for %v after it was interrupted", what, o.stopped)
	}
	if o.resident > mostResident {
		t.Errorf("%s: %d MiB were in memory, at most %d are to be", what, o.resident>>10, mostResident>>10)
	}
	if o.text == "" && o.stopped == 0 || strings.Contains(o.text, "panic") || strings.Contains(o.text, "fatal error") {
		t.Errorf("%s: %.500q", what, o.text)
	}
}

// hugeCalls are the calls made on a huge note.
var hugeCalls = [][2]string{
	{"read_file", `{"path":%q}`},
	{"read_file", `{"path":%q,"start_line":900000,"end_line":900010}`},
	{"get_file_info", `{"path":%q}`},
	{"get_outline", `{"path":%q}`},
	{"get_links", `{"path":%q}`},
	{"get_properties", `{"path":%q}`},
	{"get_tags", `{"path":%q}`},
	{"list_tasks", `{"path":%q}`},
	{"append_file", `{"path":%q,"content":"more"}`},
	{"edit_file", `{"path":%q,"insert_after_line":0,"content":"first"}`},
	{"edit_file", `{"path":%q,"old_text":"not to be found","new_text":"x"}`},
	{"set_property", `{"path":%q,"key":"k","value":"v"}`},
}

// TestHugeNotes calls every tool on notes that are too large, with 256 descriptors and a memory limit of 256 MiB. At
// most 300 MB are in memory, and each call answers within two seconds or ends within two seconds of an interrupt.
// CHATVAULT_STRESS uses the promised sizes: 100 MB, a million lines, one line of 50 MB, a sparse file of 1 GB.
func TestHugeNotes(t *testing.T) {
	beside(t)
	dir := hugeVault(t, stressed())
	for _, name := range []string{"large.md", "lines.md", "one line.md", "sparse.md"} {
		for i, call := range hugeCalls {
			if !stressed() && i > 1 && (i+len(name))%5 != 0 {
				continue
			}
			args := fmt.Sprintf(call[1], name)
			checkOutcome(t, call[0]+" "+args, boundedTool(t, dir, call[0], args))
		}
	}
	for _, call := range [][2]string{
		{"search_files", `{"pattern":` + jsonText(slowPattern) + `}`},
		{"search_files", `{"pattern":"nowhere to be found"}`},
		{"search_files", `{"pattern":"(x+x+)+y|aaaa.*b$","file_pattern":"**/*"}`},
		{"list_files", `{"pattern":"**"}`},
		{"list_tasks", `{}`},
		{"get_tags", `{}`},
		{"find_notes", `{"query":"needle in many words"}`},
		{"get_links", `{"mode":"unresolved"}`},
		{"move_file", `{"source":"Home.md","destination":"Start.md"}`},
		{"move_file", `{"source":"large.md","destination":"Moved/large.md"}`},
		{"delete_file", `{"path":"Moved/large.md"}`},
	} {
		checkOutcome(t, call[0]+" "+call[1], boundedTool(t, dir, call[0], call[1]))
	}
	if !stressed() {
		return
	}
	cmd := bounded(command(t, dir, nil, "--offline", "ask", "what do I know about words?"))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	resident := watchResident(cmd.Process.Pid)
	err := cmd.Wait()
	most := resident()
	t.Logf("offline ask: %v, %d MiB: %.100q", err, most>>10, &out)
	if err != nil || most > mostResident {
		t.Errorf("the offline engine: %v, %d MiB in memory", err, most>>10)
	}
}

// TestHugeTrees does the same with folders a thousand deep, circular links and, with CHATVAULT_STRESS, 100,000 files.
func TestHugeTrees(t *testing.T) {
	beside(t)
	dir := filepath.Join(t.TempDir(), "Notes")
	deep := filepath.Join(dir, filepath.FromSlash(strings.TrimSuffix(strings.Repeat("d/", 1000), "/")))
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.MkdirAll(deep, 0o755))
	must(os.WriteFile(filepath.Join(deep, "deep.md"), []byte("# Deep\nneedle [[Home]]\n"), 0o644))
	must(os.WriteFile(filepath.Join(dir, "Home.md"), []byte("# Home\n[[deep]]\n"), 0o644))
	for from, to := range map[string]string{"a.md": "b.md", "b.md": "a.md", "circle": ".", "d/up": "..", "d/d/self": "self"} {
		must(os.Symlink(to, filepath.Join(dir, filepath.FromSlash(from))))
	}
	files := 1_000
	if stressed() {
		files = 100_000
	}
	for i := range files {
		folder := filepath.Join(dir, "many", fmt.Sprint(i%97))
		if i < 97 {
			must(os.MkdirAll(folder, 0o755))
		}
		must(os.WriteFile(filepath.Join(folder, fmt.Sprintf("note %d.md", i)), fmt.Appendf(nil, "# Note %d\n[[note %d]] #t%d\n- [ ] do %d\n", i, i+1, i%50, i), 0o644))
	}
	for _, call := range [][2]string{
		{"list_files", `{"pattern":"**","max_results":1000}`},
		{"list_files", `{"pattern":"**/*7*.md"}`},
		{"list_files", `{"path":"circle/circle/circle"}`},
		{"search_files", `{"pattern":"needle"}`},
		{"search_files", `{"pattern":` + jsonText(slowPattern) + `}`},
		{"read_file", `{"path":"a.md"}`},
		{"read_file", `{"path":"d/d/self"}`},
		{"read_file", `{"path":"deep.md"}`},
		{"read_file", `{"path":"` + strings.Repeat("d/", 1000) + `deep.md"}`},
		{"read_file", `{"path":"` + strings.Repeat("d/", 1000) + `none.md"}`},
		{"get_file_info", `{"path":"many"}`},
		{"get_file_info", `{"path":"d"}`},
		{"get_links", `{"mode":"unresolved"}`},
		{"get_links", `{"mode":"orphans"}`},
		{"get_links", `{"path":"Home.md","mode":"backlinks"}`},
		{"get_tags", `{}`},
		{"find_notes", `{"query":"needle in many words"}`},
		{"list_tasks", `{}`},
		{"get_properties", `{}`},
		{"move_file", `{"source":"many/5","destination":"moved"}`},
		{"move_file", `{"source":"many/6/note 6.md","destination":"six.md"}`},
		{"delete_file", `{"path":"many/7","recursive":true}`},
		{"delete_file", `{"path":"d","recursive":true}`},
	} {
		checkOutcome(t, call[0]+" "+call[1], boundedTool(t, dir, call[0], call[1]))
	}
}

package doctor

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"

	"chatvault/agent/llm"
	"chatvault/internal/app/config"
	"chatvault/internal/app/session/home"
	"chatvault/internal/base/lazyregexp"
	"chatvault/internal/base/statefile"
)

const (
	mostLogged = 40       // lines of the log
	mostRead   = 64 << 20 // bytes of a file
)

// Report prints a bug report. It is made of the program's own text, so it has no keys and no text of notes and messages,
// and names of files, folders, models and addresses only if names is set.
func Report(o Options, version string, names bool) error {
	all, cfg, dir := look(o)
	var b strings.Builder
	fmt.Fprintf(&b, "chatvault %s (%s, %s/%s)\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	fmt.Fprintf(&b, "terminal %s %s, language %s\n", o.getenv("TERM"), o.getenv("TERM_PROGRAM"), o.getenv("LANG"))
	b.WriteString("\nNothing was sent. Read this before you send it: it should have no keys, no text of notes and messages, and\n" +
		"names only with --with-names (else …).\n\n## What doctor finds\n\n")
	for _, f := range all {
		b.WriteString(f.plain(names).lines(f.mark(), 0))
	}
	b.WriteString("\n## Settings that are not at their defaults\n\n" + settings(cfg, names))
	if state, err := home.LookIfThere(dir); dir != "" && err == nil && state != nil {
		defer func() { _ = state.Close() }()
		b.WriteString("\n## The log's last warnings and errors\n\n" + logged(state) + "\n## Crashes\n\n" + crashes(state))
	}
	_, err := fmt.Fprint(o.Out, llm.Redact(b.String()))
	return err
}

// settings lists the settings that are not at their defaults: values of enumerations and numbers and, with names, lines
// and lists. Of a table it has the name alone.
func settings(cfg *config.Config, names bool) string {
	var lines []string
	for _, s := range cfg.Settings() {
		if !s.Set {
			continue
		}
		key, value := s.Key, withheld
		switch s.Kind {
		case config.KindSwitch, config.KindChoice, config.KindNumber, config.KindAmount:
			value = s.Value
		case config.KindText, config.KindList:
			if names && key != "api_key_env" { // which may be a key, by mistake
				value = s.Value
			}
		case config.KindFixed:
			key, _, _ = strings.Cut(key, ".")
		}
		lines = append(lines, key+" = "+value+"\n")
	}
	return strings.Join(slices.Compact(lines), "")
}

// logged returns the last warnings and errors of the log: their messages, the kinds of errors, and stacks.
func logged(state *os.Root) string {
	data, _ := statefile.Read(state, home.LogName, mostRead) // without a log there are none
	var lines []string
	for line := range bytes.Lines(data) {
		var e struct {
			Time, Level, Msg, Code, Kind, Stack string
			Form                                int
		}
		if json.Unmarshal(line, &e) == nil && (e.Level == "WARN" || e.Level == "ERROR") && e.Form == home.LogForm {
			kind := cmp.Or(e.Kind, e.Code, withheld)
			lines = append(lines, fmt.Sprintf("%s %s %s (%s)\n%s", e.Time, e.Level, e.Msg, kind, frames(e.Stack)))
		}
	}
	return strings.Join(lines[max(0, len(lines)-mostLogged):], "")
}

// crashes returns the crash reports: their names with the time, the version, and the frames of the stack.
func crashes(state *os.Root) string {
	found, _ := fs.Glob(state.FS(), "crash-*.txt")
	out := ""
	for _, name := range found {
		data, _ := statefile.Read(state, name, mostRead)
		version, stack, _ := strings.Cut(string(data), "\n")
		out += name + ", " + version + "\n" + frames(stack)
	}
	return out
}

// frame matches a function of a stack and its position on the next line. A report has only the base names, since the
// path shows where the program was built.
var frame = lazyregexp.New(`(?m)^((?:created by )?[\w./*()\-]+)(?:\([^\n()]*\)| in goroutine \d+)\n\t[^\n]*?([\w.-]+\.go:\d+)`)

func frames(stack string) string {
	out := ""
	for _, m := range frame().FindAllStringSubmatch(stack, -1) {
		out += "    " + path.Base(m[1]) + " " + m[2] + "\n"
	}
	return out
}

package doctor

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"chatvault/agent/llm"
	"chatvault/internal/config"
	"chatvault/internal/lazyregexp"
	"chatvault/internal/session/home"
	"chatvault/internal/statefile"
	"chatvault/internal/text"
)

// report is a text for a bug report. It contains only the program's own texts, so that nothing private has to be found
// and removed.
type report struct {
	o   Options
	out strings.Builder
}

// Report prints what a bug report needs, without keys, texts and names.
func Report(o Options, version string) error {
	r := &report{o: o}
	all, cfg, dir := look(o)
	r.line("chatvault report, %s", time.Now().UTC().Format("2006-01-02 15:04 UTC"))
	r.line("Nothing was sent. Read it before you send it: there should be no keys, no text of notes and messages, and no names: … stands for those.")
	r.versions(version)
	r.findings(all)
	r.settings(cfg)
	if state, err := home.LookIfThere(dir); dir != "" && err == nil && state != nil {
		defer func() { _ = state.Close() }()
		r.log(state)
		r.crashes(state)
	}
	_, err := io.WriteString(o.Out, llm.Redact(r.out.String()))
	return err
}

func (r *report) line(format string, args ...any) { fmt.Fprintf(&r.out, format+"\n", args...) }

func (r *report) head(title string) { r.line("\n## %s\n", title) }

// plainWord matches the names of systems and terminals.
var plainWord = lazyregexp.New(`^[A-Za-z0-9 ._+():/-]{1,60}$`)

func (r *report) versions(version string) {
	r.head("Versions")
	r.line("chatvault %s (%s, %s/%s)", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	system, _ := os.ReadFile("/etc/os-release")
	if _, name, ok := strings.Cut(string(system), "PRETTY_NAME=\""); ok {
		name, _, _ = strings.Cut(name, "\"")
		r.line("%s", name)
	}
	for _, name := range []string{"TERM", "COLORTERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "LANG", "LC_ALL"} {
		if value := r.o.getenv(name); plainWord().MatchString(value) {
			r.line("%s %s", name, value)
		}
	}
	for _, name := range []string{"TMUX", "SSH_CONNECTION", "WSL_DISTRO_NAME", "WAYLAND_DISPLAY", "DISPLAY"} {
		if r.o.getenv(name) != "" {
			r.line("%s is set", name)
		}
	}
	if r.o.Out.IsTerminal() {
		r.line("%d cells wide", r.o.Out.Width())
	}
}

func (r *report) findings(all []finding) {
	r.head("What doctor finds")
	for _, f := range all {
		said := strings.TrimSpace(f.bare)
		if cause := causeIn(f.text + "\n" + f.why); !strings.Contains(said, cause) {
			said = strings.TrimPrefix(said+": "+cause, ": ")
		}
		r.out.WriteString(finding{area: f.area, text: cmp.Or(said, "…")}.lines(f.mark(), 0))
	}
}

// refusedKey describes which known setting is invalid.
func refusedKey(cfg *config.Config, e *config.Error) string {
	if slices.ContainsFunc(cfg.Settings(), func(s config.Setting) bool { return s.Key == e.Key && s.Kind != config.KindFixed }) {
		return e.Key + " is refused, " + origin(e.Origin)
	}
	return "something is refused, " + origin(e.Origin)
}

// origin describes where a value came from, without the file's name.
func origin(o config.Origin) string {
	switch o.Kind {
	case config.SettingsFile, config.VaultSettings:
		return "set in chatvault"
	case config.UserFile:
		return "your file"
	case config.VaultFile:
		return "the vault's file"
	case config.Environment:
		return "environment"
	case config.Flag:
		return "flag"
	case config.Chosen:
		return "chosen with /model"
	}
	return "default"
}

// settings lists the settings that are not at their defaults. Only values that are no text are shown.
func (r *report) settings(cfg *config.Config) {
	r.head("Settings that are not at their defaults")
	for _, s := range cfg.Settings() {
		table, _, inTable := strings.Cut(s.Key, ".")
		switch {
		case s.From.Kind == config.Default:
		case s.Kind == config.KindSwitch || s.Kind == config.KindChoice || s.Kind == config.KindNumber || s.Kind == config.KindAmount:
			r.line("%s = %s (%s)", s.Key, s.Value, origin(s.From))
		case inTable && s.Kind == config.KindFixed: // its keys may be names
			r.line("a value of [%s] is set (%s)", table, origin(s.From))
		default:
			r.line("%s is set (%s)", s.Key, origin(s.From))
		}
	}
}

// causes matches standard parts of error messages.
var causes = lazyregexp.New(`\b(?:auth_error|rate_limit|network_error|invalid_request|aborted|internal)\b(?: \(HTTP \d{3}\))?` +
	`|context deadline exceeded|context canceled|unexpected EOF|no such host|runtime error: [a-z ]+(?:\[[0-9:]*\] with (?:length|capacity) \d+)?`)

// causeIn returns the part of an error message that is standard text, or "".
func causeIn(message string) string {
	if cause := llm.CauseIn(message); cause != "" {
		return cause
	}
	if cause := causes().FindString(message); cause != "" {
		return strings.TrimSpace(cause)
	}
	for n := range syscall.Errno(134) {
		if known := n.Error(); n > 0 && !strings.HasPrefix(known, "errno ") && strings.Contains(message, known) {
			return known
		}
	}
	return ""
}

const (
	mostLogged  = 40        // lines of the log
	mostLogRead = 512 << 10 // bytes from its end
	mostCrashes = 3
	mostFrames  = 24 // of a stack
)

// log reports the last warnings and errors of the log: their messages, standard causes and stacks.
func (r *report) log(state *os.Root) {
	f, info, err := statefile.Open(state, home.LogName, os.O_RDONLY, 0)
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.NewSectionReader(f, max(0, info.Size()-mostLogRead), mostLogRead))
	if err != nil {
		return
	}
	var lines []string
	for line := range bytes.Lines(data) {
		var e struct {
			Time       time.Time
			Form       int
			Level, Msg string
			Stack      string
		}
		if json.Unmarshal(line, &e) != nil || e.Level != "WARN" && e.Level != "ERROR" {
			continue
		}
		if e.Form != home.LogForm { // its messages may contain other text
			e.Msg = "…"
		}
		said := []string{strings.TrimSpace(fmt.Sprintf("%s %s %s %s", e.Time.UTC().Format(time.RFC3339), e.Level, e.Msg, causeIn(string(line))))}
		lines = append(lines, strings.Join(append(said, frames(e.Stack)...), "\n    "))
	}
	if len(lines) == 0 {
		return
	}
	r.head("The log's last warnings and errors")
	for _, line := range lines[max(0, len(lines)-mostLogged):] {
		r.line("%s", line)
	}
}

// ownWord matches a version or a time.
var ownWord = lazyregexp.New(`^[A-Za-z0-9_ .:+/µ-]{1,48}$`)

// crashes summarizes the last crash reports: version, kind of fault and code positions.
func (r *report) crashes(state *os.Root) {
	names, err := fs.Glob(state.FS(), "crash-*.txt")
	if err != nil || len(names) == 0 {
		return
	}
	r.head("Faults")
	slices.Sort(names)
	for _, name := range names[max(0, len(names)-mostCrashes):] {
		data, err := statefile.Read(state, name, 1<<20)
		if err != nil {
			continue
		}
		version, rest, _ := strings.Cut(string(data), "\n")
		when := strings.TrimSuffix(strings.TrimPrefix(name, "crash-"), ".txt")
		if !ownWord().MatchString(version) || !ownWord().MatchString(when) {
			version, when = "…", "…"
		}
		r.line("%s, %s: %s", when, version, causeIn(rest))
		for _, frame := range frames(rest) {
			r.line("    %s", frame)
		}
	}
}

// frame matches a function of a stack and its position on the next line. Only the base name of the file is used, as
// the path shows where it was built.
var frame = lazyregexp.New(`(?m)^((?:created by )?[\w./*()\-]+)(?:\([^\n()]*\)| in goroutine \d+)\n\t[^\n]*?([\w.-]+\.go:\d+)`)

func frames(stack string) []string {
	return text.Of(frame().FindAllStringSubmatch(stack, mostFrames), func(m []string) string { return path.Base(m[1]) + " " + m[2] })
}

package doctor

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"chatvault/agent/inbox"
	"chatvault/agent/llm"
	"chatvault/agent/llm/endpoint"
	"chatvault/agent/llm/models"
	"chatvault/internal/config"
	"chatvault/internal/lazyregexp"
	"chatvault/internal/session/home"
	"chatvault/internal/session/provider"
	"chatvault/internal/statefile"
	"chatvault/internal/text"
)

// report is a text for a bug report. It contains only what is known to be the program's own text, and names on
// request, so that nothing private has to be found and removed.
type report struct {
	o     Options
	names bool
	out   strings.Builder
}

// Report prints what a bug report needs, without keys and texts, and without names unless requested.
func Report(o Options, version string, names bool) error {
	r := &report{o: o, names: names}
	all, cfg, dir := look(o)
	without := "no keys, no text of notes and messages, and no names: … stands for those"
	if names {
		without = "no keys and no text of notes and messages, but names of files, folders, models and addresses"
	}
	r.line("chatvault report, %s", time.Now().UTC().Format("2006-01-02 15:04 UTC"))
	r.line("Nothing was sent. Read it before you send it: there should be %s.", without)
	r.versions(version)
	r.findings(all)
	r.settings(cfg)
	r.answers(cfg)
	if state, err := home.LookIfThere(dir); dir != "" && err == nil && state != nil {
		defer func() { _ = state.Close() }()
		r.kept(state)
		r.unfinished(state)
		r.log(state)
		r.crashes(state)
	}
	_, err := io.WriteString(o.Out, llm.Redact(r.out.String()))
	return err
}

func (r *report) line(format string, args ...any) { fmt.Fprintf(&r.out, format+"\n", args...) }

func (r *report) head(title string) { r.line("\n## %s\n", title) }

// named returns a name if names are requested, else a placeholder.
func (r *report) named(name string) string {
	if r.names {
		return r.o.Out.Text(text.OneLine(name))
	}
	return "…"
}

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
		mark := f.mark()
		f.todo = ""
		if r.names {
			f.text, f.why = r.o.Out.Text(f.text), r.o.Out.Text(f.why)
			r.out.WriteString(f.lines(mark, 0))
			continue
		}
		said := strings.TrimSpace(f.bare)
		if cause := causeIn(f.text + "\n" + f.why); !strings.Contains(said, cause) {
			said = strings.TrimPrefix(said+": "+cause, ": ")
		}
		r.out.WriteString(finding{area: f.area, text: cmp.Or(said, "…")}.lines(mark, 0))
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

// settings lists the settings that are not at their defaults.
func (r *report) settings(cfg *config.Config) {
	r.head("Settings that are not at their defaults")
	tables := map[string]int{}
	for _, s := range cfg.Settings() {
		if s.From.Kind == config.Default || s.Shown == "" && s.Value == "" {
			continue
		}
		value := "set"
		switch s.Kind {
		case config.KindSwitch, config.KindChoice, config.KindNumber, config.KindAmount:
			value = s.Value
		case config.KindText:
			if s.Key != "api_key_env" {
				value = r.named(s.Value)
			}
		case config.KindList:
			value = r.named(s.Value)
		case config.KindProse:
			value = text.Count(len([]rune(s.Value)), "character")
		case config.KindFixed:
			if table, _, ok := strings.Cut(s.Key, "."); ok { // a table may contain anything
				tables[table]++
				continue
			}
		}
		r.line("%s = %s (%s)", s.Key, value, origin(s.From))
	}
	for _, table := range slices.Sorted(maps.Keys(tables)) {
		r.line("[%s]: %s", table, text.Count(tables[table], "value"))
	}
}

// answers reports the provider. Names of known providers and models are public.
func (r *report) answers(cfg *config.Config) {
	c, err := provider.NewFinder(cfg, "", r.o.LookupEnv, home.Discard()).Choose()
	if err != nil || c.Endpoint == nil {
		return // a finding reports it
	}
	e := c.Endpoint
	name, model := r.named(e.Name), r.named(e.Model)
	if p, ok := endpoint.FindPreset(e.Name); ok {
		name = p.Name
	}
	if _, ok := models.Find(e.Name, e.BaseURL, e.Model); ok {
		model = e.Model
	}
	r.line("answers: %s/%s, over the %s", name, model, e.API().Title())
}

// stateParts are the known parts of the state folder.
var stateParts = []string{"conversations", "inbox", "journal", "drafts", "trash", "run", "windows", "artifacts"}

// kept reports how much is stored for the vault.
func (r *report) kept(state *os.Root) {
	r.head("Kept for this vault")
	files, bytes := map[string]int{}, map[string]int64{}
	_ = fs.WalkDir(state.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return nil //nolint:nilerr // a finding reports it
		}
		part, _, in := strings.Cut(name, "/")
		if !in || !slices.Contains(stateParts, part) {
			part = "other files"
		}
		if info, err := e.Info(); err == nil {
			files[part]++
			bytes[part] += info.Size()
		}
		return nil
	})
	for _, part := range slices.Sorted(maps.Keys(files)) {
		r.line("%s: %s, %s KB", part, text.Count(files[part], "file"), text.Thousands((bytes[part]+1023)/1024))
	}
}

// unfinished lists the messages in the inbox without their texts.
func (r *report) unfinished(state *os.Root) {
	list, _, err := inbox.Open(state).List()
	if err != nil || len(list) == 0 {
		return
	}
	r.head("Unfinished messages")
	for _, e := range list {
		r.line("%s attempted, %d cut off, tools ran: %t, last tried %s: %s", text.Count(e.Attempts, "time"), e.Deaths, e.ToolsRan,
			e.LastTried.UTC().Format(time.RFC3339), cmp.Or(causeIn(e.LastError), "…"))
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

// log reports the last warnings and errors of the log. Attributes are included if they are numbers or one of a few
// fixed values; of others only a standard cause is.
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
		var entry map[string]any
		if json.Unmarshal(line, &entry) == nil && (entry["level"] == "WARN" || entry["level"] == "ERROR") {
			lines = append(lines, logged(entry))
		}
	}
	if len(lines) == 0 {
		return
	}
	r.head("The log's last warnings and errors")
	for _, line := range lines[max(0, len(lines)-mostLogged):] {
		r.line("%s", line)
	}
}

// chosen are attributes whose values are the program's own words.
var chosen = []string{"code", "from", "to", "what", "method", "duration"}

// ownWord matches such a value.
var ownWord = lazyregexp.New(`^[A-Za-z0-9_ .:+/µ-]{1,48}$`)

func logged(entry map[string]any) string {
	var b strings.Builder
	when, _ := entry["time"].(string)
	message, _ := entry["msg"].(string)
	if entry["form"] != float64(home.LogForm) { // its messages may contain other text
		message = "…"
	}
	if !ownWord().MatchString(when) {
		when = "…"
	}
	fmt.Fprintf(&b, "%s %s %s", when, entry["level"], message)
	for _, key := range slices.Sorted(maps.Keys(entry)) {
		switch value := entry[key].(type) {
		case float64, bool:
			if key != "form" && ownWord().MatchString(key) {
				fmt.Fprintf(&b, " %s=%v", key, value)
			}
		case string:
			switch {
			case slices.Contains([]string{"time", "level", "msg"}, key):
			case slices.Contains(chosen, key) && ownWord().MatchString(value):
				b.WriteString(" " + key + "=" + value)
			case key == "stack":
				for _, frame := range frames(value) {
					b.WriteString("\n    " + frame)
				}
			default:
				if cause := causeIn(value); cause != "" && ownWord().MatchString(key) {
					b.WriteString(" " + key + "=" + cause)
				}
			}
		}
	}
	return b.String()
}

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

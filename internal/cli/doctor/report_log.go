package doctor

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"chatvault/internal/lazyregexp"
	"chatvault/internal/session/home"
	"chatvault/internal/statefile"
	"chatvault/internal/text"
)

const (
	mostLogged  = 40        // lines of the log
	mostLogRead = 512 << 10 // bytes of its end
	mostCrashes = 3
	mostFrames  = 24 // of a stack
)

// log are the last warnings and errors of the log. An attribute is told where it is a number, or where the
// program chose its value from a few; of any other its cause is.
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

// ownWord is how such a value looks.
var ownWord = lazyregexp.New(`^[A-Za-z0-9_ .:+/µ-]{1,48}$`)

func logged(entry map[string]any) string {
	var b strings.Builder
	when, _ := entry["time"].(string)
	message, _ := entry["msg"].(string)
	if entry["form"] != float64(home.LogForm) { // its messages are not all the program's own
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

// crashes are the last reports of faults: what the program is, what kind of fault, and where in the code.
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

// frame is a function of a stack and, in the next line, its place. Of the place the last name counts: what
// comes before says where it was built.
var frame = lazyregexp.New(`(?m)^((?:created by )?[\w./*()\-]+)(?:\([^\n()]*\)| in goroutine \d+)\n\t[^\n]*?([\w.-]+\.go:\d+)`)

func frames(stack string) []string {
	return text.Of(frame().FindAllStringSubmatch(stack, mostFrames), func(m []string) string { return path.Base(m[1]) + " " + m[2] })
}

package offline

import (
	"fmt"
	"maps"
	"strings"

	"chatvault/agent/llm/offline/grammar"
	"chatvault/agent/llm/offline/naming"
	"chatvault/agent/llm/offline/toolresult"
)

// sketch is the vault as a plan would leave it, as far as the plan's later steps need it, and
// the steps so far.
type sketch struct {
	steps []string
	text  map[string]string // of notes that were read or made, by origin
	drawn map[string]bool   // text differs from what a tool would read
	from  []moved           // newest first
}

// moved is a path that got another name.
type moved struct{ old, new string }

func (k *sketch) step(text string) { k.steps = append(k.steps, text) }

// origin is the path by which a tool still knows what the plan would have moved.
func (k *sketch) origin(p string) string {
	for _, m := range k.from {
		if p == m.new {
			p = m.old
		} else if rest, ok := strings.CutPrefix(p, m.new+"/"); ok {
			p = m.old + "/" + rest
		}
	}
	return p
}

// look makes a call that looks: at what the sketch has drawn in the sketch, at what it has moved
// under the old name.
func (s *script) look(p planned) call {
	path, _ := p.args["path"].(string)
	old := s.sketch.origin(path)
	if p.name == readFile && s.sketch.drawn[old] {
		c := call{name: readFile, args: plain(p.args), result: numberedText(s.sketch.text[old]), turn: s.turn}
		s.made = append(s.made, c)
		return c
	}
	if old != path {
		a := args{}
		maps.Copy(a, p.args)
		a["path"] = old
		p.args = a
	}
	c := s.calls([]planned{p})[0]
	if p.name == readFile && !c.failed {
		if lines, _, rest := toolresult.FileLines(c.result); !rest {
			s.sketch.text[old] = toolresult.JoinLines(lines)
		}
	}
	return c
}

// lookUp is the step of a plan that looks something up. A note that is shown is what "it" means
// from then on.
func (s *script) lookUp(c grammar.Command) {
	s.sketch.step("Look up “" + clip(oneLine(c.Text), 120) + "” and answer")
	if c.Kind != grammar.Show && c.Kind != grammar.Summarise || c.Note == grammar.It {
		return
	}
	if found := s.view.Resolve(c.Note); len(found) > 0 && found[0].Score >= naming.FitsSurely && len(naming.Distinct(found)) == 1 {
		s.made = append(s.made, call{name: readFile, args: map[string]any{"path": found[0].Path}, turn: -1})
	}
}

// numberedText is a text as read_file shows it.
func numberedText(text string) string {
	var b strings.Builder
	for i, l := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		fmt.Fprintf(&b, "%d: %s\n", i+1, l)
	}
	return b.String()
}

// sketched is a change in a plan: it becomes a step, and the sketch shows what it would do. It
// fails as the tool would, as far as can be told.
func (s *script) sketched(tool string, a args, what string) call {
	c := call{name: tool, args: plain(a), turn: s.turn}
	s.draw(&c)
	if !c.failed {
		s.sketch.step(what)
	}
	s.apply(c, false)
	s.made = append(s.made, c)
	return c
}

// draw carries a change out on the sketch.
func (s *script) draw(c *call) {
	k := s.sketch
	p := k.origin(c.arg("path"))
	switch c.name {
	case "write_file":
		k.text[p], k.drawn[p] = c.arg("content"), true
		c.result = fmt.Sprintf("Created file %q.", p)
	case dailyNote: // made: one that is there is edited
		p = s.dailyAt(c.arg("date")).path
		k.text[p], k.drawn[p] = c.arg("content")+"\n", true
		c.result = fmt.Sprintf("Created file %q.", p)
	case "edit_file":
		if _, ok := k.text[p]; !ok {
			if r := s.look(planned{readFile, args{"path": c.arg("path")}}); r.failed {
				c.result, c.failed = r.result, true
				return
			}
		}
		k.edit(c, p)
	case "move_file":
		from, to := c.arg("source"), c.arg("destination")
		if s.view.Has(to) && !strings.EqualFold(from, to) {
			c.result, c.failed = fmt.Sprintf("Error: %q already exists.", to), true
			return
		}
		k.from = append([]moved{{from, to}}, k.from...)
		c.result = fmt.Sprintf("Moved %q to %q.", from, to)
	case "create_folder":
		if c.result = fmt.Sprintf("Created folder %q.", p); s.view.Folders[p] {
			c.result, c.failed = fmt.Sprintf("Error: The folder %q already exists.", p), true
		}
	case "delete_file":
		delete(k.text, p)
		delete(k.drawn, p)
		c.result = fmt.Sprintf("Deleted '%s' to trash.", p)
	}
}

// edit carries an edit out on the text that the sketch has of a note; of one too long for that
// nothing is known, and it is taken to succeed.
func (k *sketch) edit(c *call, p string) {
	text, whole := k.text[p]
	old, replaces := c.args["old_text"].(string)
	n := strings.Count(text, old)
	all, _ := c.args["replace_all"].(bool)
	switch {
	case !whole:
	case replaces && n == 0:
		c.result, c.failed = fmt.Sprintf("Error: old_text was not found in %q.", p), true
		return
	case replaces && n > 1 && !all:
		c.result, c.failed = fmt.Sprintf("Error: old_text was found %d times in %q.", n, p), true
		return
	case replaces:
		k.text[p], k.drawn[p] = strings.ReplaceAll(text, old, c.arg("new_text")), true
	default:
		lines := strings.SplitAfter(text, "\n")
		if at, ok := c.args["insert_after_line"].(float64); ok {
			i := min(int(at), len(lines))
			k.text[p] = strings.Join(lines[:i], "") + strings.TrimSuffix(c.arg("content"), "\n") + "\n" + strings.Join(lines[i:], "")
		} else if gone, ok := c.args["delete_lines"].(map[string]any); ok {
			from, _ := gone["start"].(float64)
			to, _ := gone["end"].(float64)
			i, j := max(int(from)-1, 0), min(int(to), len(lines))
			if i <= j {
				k.text[p] = strings.Join(lines[:i], "") + strings.Join(lines[j:], "")
			}
		}
		k.drawn[p] = true
	}
	c.result = fmt.Sprintf("Replaced %d occurrences in %q.", max(n, 1), p)
}

package offline

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"chatvault/agent/llm"
	"chatvault/agent/llm/offline/grammar"
	"chatvault/agent/llm/offline/naming"
	"chatvault/agent/llm/offline/retrieval"
	"chatvault/agent/llm/offline/toolresult"
	"chatvault/internal/lazyregexp"
	"chatvault/internal/text"
)

// A plan is made by the script itself, with a sketch in place of the vault: it looks where it
// would look, and what it would change becomes a step. The approved plan is carried out by the
// same script without the sketch. What the plan does not say is asked about before it is done.

// planText is a plan as the user reads it.
func (s *script) planText() string {
	head, steps := planHead, ""
	for i, st := range s.sketch.steps {
		steps += fmt.Sprintf("%d. %s\n", i+1, st)
	}
	if steps == "" { // which is no plan that could be approved
		head = noPlan
	}
	parts := append([]string{head, s.task.remark, strings.TrimSpace(steps)}, s.out...)
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "\n\n")
}

// planToLook is the plan for a request that changes nothing.
func (s *script) planToLook(commands []grammar.Command) {
	var what []string
	for _, c := range commands {
		if c.Kind == grammar.Unclear && len(c.Others) == 0 {
			s.failf("“%s” does not say which note goes where, or becomes what, so it is not a step. Name the notes, as in *%s*.", clip(oneLine(c.Text), 120), s.example(grammar.Move))
			for _, d := range slices.Sorted(maps.Keys(s.view.Folders)) {
				if strings.Contains(" "+naming.Normal(c.Text)+" ", " "+naming.Normal(path.Base(d))+" ") {
					in := s.view.Within(d)
					s.sayf("In `%s/` %s: %s.", d, isAre(len(in), "note"), strings.Join(in[:min(len(in), maxListed)], ", "))
				}
			}
			continue
		}
		if isTalk(c.Kind) {
			s.talk(c)
			continue
		}
		what = append(what, "“"+clip(oneLine(c.Text), 120)+"”")
	}
	if len(what) > 0 {
		s.sketch.step("Look through your notes for " + strings.Join(what, " and ") + " and answer from what I find; nothing is changed")
	}
}

var planStepRE = lazyregexp.New(`(?m)^\d+\. (.+)$`)

// planSteps are the steps of a plan that the engine wrote.
func planSteps(plan string) []string {
	return text.Of(planStepRE().FindAllStringSubmatch(plan, -1), func(m []string) string { return strings.TrimSpace(m[1]) })
}

// plan makes a task of the turns from first to last, in which a plan was made and revised.
func (t *task) plan(history []turn, first, last int) {
	t.past = first
	t.requests = history[first].messages
	for i := first + 1; i <= last; i++ {
		if history[i].continues() {
			continue
		}
		t.revise(history[i].text(), planSteps(history[i-1].answer), t.requests[0])
	}
}

// revise changes what is planned as the user says.
func (t *task) revise(text string, steps []string, first message) {
	t.remark = ""
	if dropped, ok := droppedSteps(text, steps); ok {
		if len(dropped) == 0 {
			t.remark = fmt.Sprintf("No step of the plan matches “%s”, so the plan is unchanged.", clip(oneLine(text), 120))
		}
		t.dropped = append(t.dropped, dropped...)
		return
	}
	more := alsoRE().FindString(text)
	commands := grammar.Parse(text[len(more):], first.time)
	switch {
	case !changes(commands):
		t.remark = fmt.Sprintf("I did not understand “%s” as a change to the plan, so the plan is unchanged. For instance, say *without step 2*, *also move Plan to Archive*, or the whole request anew.", clip(oneLine(text), 120))
	case more == "":
		t.requests = []message{{text: text, context: first.context, time: first.time}}
		t.commands, t.dropped = nil, nil
	default:
		if t.commands == nil {
			for _, m := range t.requests {
				t.commands = append(t.commands, grammar.Parse(m.text, first.time)...)
			}
			t.requests = t.requests[:1]
		}
		t.commands = append(t.commands, commands...)
	}
}

var (
	alsoRE  = lazyregexp.New(`(?i)^(?:and\s+)?(?:also|and|plus|then|additionally|in addition|after that|afterwards|finally|(?:add|with) (?:a|another|one more) step:?)[,:]?\s+`)
	dropRE  = lazyregexp.New(`(?i)^(?:please\s+|but\s+|and\s+|yes,?\s+)*(?:without|skip|drop|leave out|leave|omit|except|all but|not|do not do|don(?:'|’)t do|remove|keep)\s+(?:the\s+)?(.+?)(?:\s+(?:as it is|alone|out))?[.!]*$`)
	stepsRE = lazyregexp.New(`(?i)^(?:(?:steps?|numbers?|nr\.?|no\.?|points?)\s*|#)?((?:\d+|first|second|third|fourth|fifth|sixth|last)(?:(?:\s*,\s*|\s+(?:and|or)\s+|\s*&\s*)(?:\d+|first|second|third|fourth|fifth|sixth|last))*)(?:\s+(?:steps?|ones?|points?))?$`)
)

// droppedSteps are the steps that the user wants left out: by number, or by what they name. It
// is false where the text is about something else.
func droppedSteps(text string, steps []string) ([]string, bool) {
	m := dropRE().FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return nil, false
	}
	var out []string
	if n := stepsRE().FindStringSubmatch(m[1]); n != nil {
		for _, w := range retrieval.Words(n[1]) {
			if k, ok := ordinal(w, len(steps)); ok {
				out = append(out, steps[k])
			}
		}
		return out, true
	}
	want := naming.Normal(grammar.NoteName(m[1]))
	out = slices.DeleteFunc(slices.Clone(steps), func(st string) bool {
		return want == "" || !strings.Contains(" "+naming.Normal(st)+" ", " "+want+" ")
	})
	if len(out) == 0 && changes(grammar.Parse(text, time.Time{})) {
		return nil, false // "remove the line x from Knee" is a request of its own
	}
	return out, true
}

// What the agent tells beside the messages of turns that have to do with a plan.
const (
	planningWords = "This turn is for planning only"
	revisingWords = "what should be different about the plan you made before"
	approvedWords = "The user approved the plan"
)

// planHead begins each plan of the engine, so that it knows one when it sees it again.
const planHead = "**Plan**, nothing is changed yet:"

// noPlan is the first line of the answer of a turn that was to plan where the plan has no step.
// The agent knows it, and asks for no approval then.
const noPlan = llm.NoPlan + ": there is nothing to carry out."

// plans says whether a turn made a plan, or began to.
func (t turn) plans() bool {
	return strings.HasPrefix(t.answer, planHead) || strings.Contains(t.context(), planningWords)
}

// carriesOut says whether a turn carries out the plan of the turn before.
func (t turn) carriesOut() bool { return strings.Contains(t.context(), approvedWords) }

// firstPlan is the turn in which the plan was begun that turn i goes on with.
func firstPlan(history []turn, i int) int {
	for i > 0 && history[i-1].plans() && (history[i].continues() || revises(history[i])) {
		i--
	}
	return i
}

// revises says whether a turn changes the plan of the turn before. Where the agent's own words
// for that were replaced, what the user says must show it.
func revises(t turn) bool {
	if strings.Contains(t.context(), planningWords) {
		return strings.Contains(t.context(), revisingWords)
	}
	return alsoRE().MatchString(t.text()) || dropRE().MatchString(t.text())
}

// approves says whether a message is the approval of a plan, in the words the agent takes for one.
func approves(m message) bool {
	switch naming.Normal(m.text) {
	case "carry it out", "1", "option 1", "yes", "y", "ok", "okay", "go ahead", "do it":
		return true
	}
	return false
}

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
	path := p.arg("path")
	old := s.sketch.origin(path)
	if p.name == readFile && s.sketch.drawn[old] {
		c := call{planned: planned{readFile, plain(p.args)}, result: numberedText(s.sketch.text[old]), turn: s.turn}
		s.made = append(s.made, c)
		return c
	}
	if old != path {
		p.args = maps.Clone(p.args)
		p.args["path"] = old
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
		s.made = append(s.made, call{planned: planned{readFile, args{"path": found[0].Path}}, turn: -1})
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
	c := call{planned: planned{tool, plain(a)}, turn: s.turn}
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
			lines = slices.Insert(lines, min(int(at), len(lines)), strings.TrimSuffix(c.arg("content"), "\n")+"\n")
		} else if gone, ok := c.args["delete_lines"].(map[string]any); ok {
			n, _ := gone["start"].(float64) // a line that was read, alone
			lines = slices.Delete(lines, int(n)-1, int(n))
		}
		k.text[p], k.drawn[p] = strings.Join(lines, ""), true
	}
	c.result = fmt.Sprintf("Replaced %d occurrences in %q.", max(n, 1), p)
}

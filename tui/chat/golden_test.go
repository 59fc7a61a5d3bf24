package chat

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"chatvault/internal/base/cells"
	"chatvault/internal/base/prosediff"
	"chatvault/internal/ptytest/golden"
	"chatvault/tui/list"
	"chatvault/tui/theme"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// transcript returns items of every kind in every state.
func transcript(env *Env) []list.Item {
	answer := NewAssistant(env)
	answer.Append("The tart needs **six** ripe nectarines, see [[Recipes/Nectarine tart|Nectarine tart]].\n\n- slice them\n- bake at 200 °C\n")
	answer.Finish()
	stopped := NewAssistant(env)
	stopped.Append("An answer that was going to be lon")
	stopped.Finish()
	failed := NewUser(env, "this one could not be saved", "")
	failed.Failed = "no space left on device"
	pending := NewUser(env, "on its way", "")
	pending.Pending = true
	answered := NewMessage(env, "Which note?", true)
	answered.Open = false
	thinking := NewReasoning(env, noon)
	thinking.Append("Let me see.\nThe tart needs six nectarines, and the jam needs eight, so that twenty is enough for both of them.")
	thought := NewReasoning(env, noon)
	thought.Append("Let me see.")
	thought.Finish(noon.Add(75 * time.Second))
	group := folded(read(env, "Recipes/Summer/Nectarine tart.md"), read(env, "Recipes/Plum jam.md"), read(env, "Garden/Trees.md"))
	running := folded(read(env, "Plans/Sunday.md"), tool(env, ToolRunning))
	earlier := NewUser(env, "Which plums are ripe in August?", "")
	earlier.At(noon.Add(-5 * time.Minute))
	long := NewUser(env, "Write me a shopping list for the nectarine tart, without what the pantry note says I have at home already.", "voice")
	long.At(noon.Add(-26 * time.Hour))
	selected := NewUser(env, "And which of them do I have?", "")
	selected.At(noon.Add(-3 * time.Hour))
	undone := NewUndone(env, "↶", "Took back 2 changes", []string{"restored Recipes/Plum jam.md"}, []string{"Garden/Trees.md: somebody changed it since"}, "/redo")
	earlier3 := NewEarlier(env)
	earlier3.State = " could not be read: the file is gone. Scrolling up tries again."
	added := NewUser(env, "and the plums, too", "")
	added.Added = true
	return []list.Item{
		NewUser(env, "What do I know about nectarines, and which of my recipes need them in June?", ""),
		NewUser(env, "a routed message\nof two lines", "voice"),
		NewUser(env, strings.Repeat("line\n", 40), ""),
		earlier, long, selected, added, pending, failed, answer, stopped,
		NewMessage(env, "I found three notes and am reading the longest of them, which may take a moment.", false),
		NewMessage(env, "Which one do you mean?\n\n1. *Nectarine tart*\n2. *Nectarine jam*", true),
		answered, thinking, thought,
		tool(env, ToolWriting), tool(env, ToolRunning), tool(env, ToolDone), tool(env, ToolFailed), tool(env, ToolStopped),
		change(env), group[0], group[1], group[2], running[0], running[1],
		delegate(env, ToolRunning), delegate(env, ToolDone), delegate(env, ToolStopped),
		NewCompaction(env, "The user plans **a tart** for June.\n\n- six nectarines\n- almonds", 92_000, 8_140),
		NewCompaction(env, "From an earlier start.", 0, 0),
		NewNotice(env, "The turn reached its limit of tool rounds. Say “go on” to continue."),
		NewError(env, "API key is missing or invalid\nSet OPENAI_API_KEY, or run “chatvault doctor”."),
		NewStopped(env, "↑ brings the message back", nil, "/undo reverts it"),
		NewStopped(env, "going on with 2 queued messages", []string{`Created file "Recipes/Shopping list for the tart.md" (156 bytes).`, `Moved "a.md" to "b/a.md".`}, "/undo reverts it"),
		NewArchived(env, "2 turns archived · /branches", nil),
		NewArchived(env, "12 turns archived · /branches", slices.Repeat([]string{`Created file "Recipes/Shopping list for the tart.md" (156 bytes).`}, 12)),
		NewBoundary(env, "New conversation · 12:00 PM"),
		boundary(env, "New conversation · 12:00 PM", "“what do I know about nectarines, and which of my recipes …”", "", ""),
		boundary(env, "New conversation · 12:00 PM", "Planning the nectarine tart for Sunday", "", "The tart was planned and written down in Plans/Tart. The shopping list is open."),
		boundary(env, "", "Planning the nectarine tart for Sunday", "Nov 20, 9:14 AM", "The tart was planned and written down in Plans/Tart. The shopping list is open."),
		changed(env), undone, earlier3, NewGoalStep(env, "Go on toward the goal: every recipe says how many it feeds, and when its fruit is ripe."),
		NewGoalEnd(env, true, "Goal met: every recipe says how many it feeds", "12 of 12 do."),
		NewGoalEnd(env, false, "Goal paused", "it took 10 turns, the most that are allowed"),
		review(env, "Planning the tart", "The recipes are spread over **two** folders; one index note would help.", ""),
		review(env, "Planning the tart", "The recipes are spread over", "it was stopped"), reviewing(env),
		longReview(env),
		NewWelcome(env, WelcomeData{
			Version: "0.1.0", VaultName: "Garden notes", VaultDir: "/home/anna/Documents/notes/Garden notes",
			Provider: "offline engine", WithoutModel: [2]string{"Without a model, it quotes and lists your notes.", "/model adds one."}, Examples: []string{"What do I know about nectarines?", "Which tasks are open?"},
		}),
	}
}

func boundary(env *Env, head, name, ended, summary string) *Boundary {
	b := NewBoundary(env, head)
	b.Before(name, ended, summary)
	return b
}

// changed returns a change of a note.
func changed(env *Env) *Changed {
	return NewChanged(env, `edited "Recipes/Plum jam.md"`, "Taken back at 12:00 PM", prosediff.Compare(
		"Plum jam needs two kilos of plums.\n\nCook it for an hour.\n", "Plum jam needs three kilos of ripe plums.\n\nCook it for an hour.\n"))
}

func review(env *Env, title, content, cut string) *Retrospection {
	r := NewRetrospection(env, title)
	r.Finish(content, cut)
	return r
}

// reviewing returns a streaming reflection.
func reviewing(env *Env) *Retrospection {
	r := NewRetrospection(env, "Planning the tart")
	r.Append("The recipes are spread over **two** folders; ")
	r.Append("one in")
	return r
}

// longReview returns a reflection that is folded.
func longReview(env *Env) *Retrospection {
	return review(env, "Planning the tart", "The tart was planned.\n\n1. The shopping list is unfinished.\n2. The agent asked twice where the plan belongs.\n\n"+
		strings.Repeat("A paragraph that makes the card so long that it is folded. ", 8)+"\n\n- one\n- two\n- three", "")
}

// delegate returns a call that starts a sub-agent.
func delegate(env *Env, state ToolState) *Tool {
	t := NewTool(env, "delegate")
	t.Start("Find every recipe with stone fruit, and what it needs", noon)
	t.StepStarted("1", "search_files", "nectarine|plum|peach", noon)
	t.StepFinished("1", "4 notes", false, 20*time.Millisecond)
	t.StepStarted("2", "read_file", "Recipes/Nectarine tart.md", noon)
	t.StepFinished("2", "not found", true, 3*time.Second)
	t.StepStarted("3", "read_file", "Recipes/Plum jam.md", noon)
	switch state {
	case ToolDone:
		t.StepFinished("3", "80 lines", false, 0)
		t.Finish("report of 3 lines", false, 12*time.Second)
		t.Gave("Two recipes:\n\n- Nectarine tart needs six nectarines.\n- Plum jam needs two kilos of plums, sugar, a lemon, and an afternoon in which nobody wants anything else.")
	case ToolStopped:
		t.Stop()
	}
	return t
}

func tool(env *Env, state ToolState) *Tool {
	t := NewTool(env, "read_file")
	if state == ToolWriting {
		t.Writing(12345, "")
		return t
	}
	t.Start("Recipes/Summer/Fruit/Nectarine tart with almonds.md", noon)
	switch state {
	case ToolDone:
		t.Finish("42 lines", false, 1600*time.Millisecond)
		t.Gave(strings.Repeat("1: a line of the note\n", 42))
	case ToolFailed:
		t.Finish("not found", true, 10*time.Millisecond)
	case ToolStopped:
		t.Stop()
	}
	return t
}

func TestGolden(t *testing.T) {
	for _, name := range []string{theme.Dark, theme.Light, theme.None} {
		for _, width := range []int{40, 80, 160} {
			for _, details := range []string{"", "-details"} {
				file := fmt.Sprintf("%s-%d%s.golden", name, width, details)
				t.Run(file, func(t *testing.T) {
					env := testEnv(name)
					env.Details = details != ""
					var parts []string
					for _, it := range transcript(env) {
						switch it.(type) {
						case Foldable:
						default:
							if env.Details {
								continue // identical
							}
						}
						parts = append(parts, fmt.Sprintf("%T\n%s\n", it, strings.Join(it.Lines(width), "\n")))
					}
					golden.Check(t, file, parts...)
				})
			}
		}
	}
}

// testEnv returns an Env whose clock is stopped at three seconds after noon.
func testEnv(name string) *Env {
	env := NewEnv(theme.New(name, colorprofile.TrueColor))
	env.Now = func() time.Time { return noon.Add(3 * time.Second) }
	return env
}

// Every item fits every width.
func TestItemsFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		env := testEnv(theme.Dark)
		env.Details = rapid.Bool().Draw(t, "details")
		width := rapid.IntRange(8, 130).Draw(t, "width")
		for _, it := range transcript(env) {
			for _, l := range it.Lines(width) {
				if w := cells.Width(l); w > width {
					t.Fatalf("%T is %d cells wide at width %d: %q", it, w, width, l)
				}
			}
		}
	})
}

func TestItemsSurviveTheSmallestWidth(t *testing.T) {
	for _, it := range transcript(testEnv(theme.Dark)) {
		for width := 1; width < 8; width++ {
			if c, ok := it.(*Tool); ok && c.group != nil && c != c.group.calls[0] {
				continue // drawn by the first call
			}
			if len(it.Lines(width)) == 0 {
				t.Errorf("%T at width %d shows nothing", it, width)
			}
		}
	}
}

func TestWithdrawnItemIsEmpty(t *testing.T) {
	env := NewEnv(theme.New(theme.Dark, colorprofile.TrueColor))
	a := NewAssistant(env)
	a.Append("Some text")
	a.Lines(40)
	a.Withdraw()
	if got := a.Lines(40); len(got) != 0 {
		t.Errorf("a withdrawn answer shows %q", got)
	}
	a.Append("Other text")
	if got := ansi.Strip(strings.Join(a.Lines(40), "")); !strings.Contains(got, "Other text") || strings.Contains(got, "Some") {
		t.Errorf("after a new attempt: %q", got)
	}
	tl := NewTool(env, "write_file")
	tl.Lines(40)
	tl.Withdraw()
	if got := tl.Lines(40); len(got) != 0 {
		t.Errorf("a withdrawn tool call shows %q", got)
	}
}

// A streamed answer ends up like a finished one, at any width.
func TestStreamedAnswerMatchesFinished(t *testing.T) {
	env := NewEnv(theme.New(theme.Dark, colorprofile.TrueColor))
	text := strings.Repeat("A paragraph with **bold** and a [[Note]].\n\n- one\n- two\n\n", 30)
	a := NewAssistant(env)
	for i := 0; i < len(text); i += 5 {
		a.Append(text[i:min(i+5, len(text))])
		a.Lines(50 + i%3)
	}
	a.Finish()
	b := NewAssistant(env)
	b.Append(text)
	b.Finish()
	for _, w := range []int{50, 30, 80} {
		if got, want := strings.Join(a.Lines(w), "\n"), strings.Join(b.Lines(w), "\n"); got != want {
			t.Errorf("width %d: streamed and finished differ:\n%s\n%s", w, got, want)
		}
	}
}

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		400 * time.Millisecond: "400ms", 1600 * time.Millisecond: "1.6s", 12 * time.Second: "12s", 185 * time.Second: "3m5s",
	} {
		if got := Duration(d); got != want {
			t.Errorf("Duration(%v) = %q, want %q", d, got, want)
		}
	}
}

package session

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"chatvault/agent/event"
	"chatvault/internal/app/slash"
)

// everything is a front-end that has all views.
func everything(string) bool { return true }

// able returns a complete set of actions that record what was done.
func able(done *[]string, err error) *Actions {
	n := noting{done, err}
	return &Actions{Goal: n, Approval: n, Conversation: n, Routing: n, Models: n}
}

// noting records actions.
type noting struct {
	done *[]string
	err  error
}

func (n noting) note(what string) error { *n.done = append(*n.done, what); return n.err }

func (n noting) SetGoal(text string) (event.Goal, error) {
	return event.Goal{Text: text}, n.note("goal " + text)
}
func (n noting) Approval() event.Approval           { return event.ApprovalWrites }
func (n noting) SetApproval(a event.Approval) error { return n.note("approval " + string(a)) }
func (n noting) ResumeGoal() error                  { return n.note("resume") }
func (n noting) Compact() error                     { return n.note("compact") }
func (n noting) Retrospect() error                  { return n.note("retrospect") }
func (n noting) ExportActive(_ context.Context, file string) (string, error) {
	return "/x/a.md", n.note("export " + file)
}
func (n noting) On() error { return n.note("on") }
func (n noting) Off()      { _ = n.note("off") }
func (n noting) Status() RouteStatus {
	return RouteStatus{State: "disconnected", Reason: "it does not run"}
}

func (n noting) Effort() string              { return "low" }
func (n noting) Efforts() (string, []string) { return "openai/gpt-5.2", []string{"low", "high"} }
func (n noting) UseEffort(effort string) (string, error) {
	return "It reasons with effort " + effort + ".", n.note("effort " + effort)
}

func TestParseTyped(t *testing.T) {
	commands := CommandsFor(Commands(), able(new([]string), nil), everything, false)
	own := Command{Name: "wöchentlich", Expand: func(words string) (string, error) { return words, nil }}
	for _, tt := range []struct{ typed, command, words, hint string }{
		{"hello", "", "", ""},
		{" /help", "", "", ""}, // a space sends it unchanged
		{"/help", "help", "", ""},
		{"/HELP ", "help", "", ""},
		{"/exit", "quit", "", ""},
		{"/goal", "goal", "", ""},
		{"/goal tidy my  recipes", "goal", "tidy my  recipes", ""},
		{"/goal\ntidy my recipes\nand the plums", "goal", "tidy my recipes\nand the plums", ""},
		{"/Goal  drop", "goal", "drop", ""},
		{"/plan\tmove all", "plan", "move all", ""},
		{"/plan", "", "", "/plan needs words after it: /plan TEXT."},
		{"/plan  ", "", "", "needs words"},
		{"/compact now", "", "", "/compact takes no words after it. To send it as a message, put a space before it."},
		{"/help\nme", "", "", "takes no words"},
		{"/usage", "cost", "", ""},
		{"/wo\u0308chentlich plums", "wöchentlich", "plums", ""},
		{"/hlep", "", "", "There is no command /hlep. Did you mean /help? To send it as a message, put a space before it."},
		{"/usgae", "", "", "Did you mean /usage?"},
		{"/re", "", "", "Did you mean /retry?"},
		{"/conv", "", "", "Did you mean /conversations?"},
		{"/gola tidy", "", "", "Did you mean /goal? To send"},
		{"/xyzzyx", "", "", "There is no command /xyzzyx; /help lists them. To send it as a message, put a space before it."},
		{"/tmp is full, what can I do", "", "", "no command /tmp"},
		{"/", "", "", "no command /;"},
		{"/2", "", "", "no command /2"},
		{"/notes.md", "", "", "no command /notes.md"},
		// Paths are messages.
		{"/etc/hosts", "", "", ""},
		{"/home/x is my folder", "", "", ""},
		{"//", "", "", ""},
	} {
		got := ParseTyped(tt.typed, append(slices.Clone(commands), own))
		name := ""
		if got.Command != nil {
			name = got.Command.Name
		}
		if name != tt.command || got.Words != tt.words || (got.Hint == "") != (tt.hint == "") || !strings.Contains(got.Hint, tt.hint) {
			t.Errorf("%q: %q, words %q, hint %q; want %q, %q, %q", tt.typed, name, got.Words, got.Hint, tt.command, tt.words, tt.hint)
		}
		message := got.Command == nil && got.Hint == "" && InAsk(tt.typed, Commands()) == ""
		if message != (name == "" && tt.hint == "") {
			t.Errorf("%q: ask says %q", tt.typed, InAsk(tt.typed, Commands()))
		}
	}
}

func TestInAsk(t *testing.T) {
	for typed, want := range map[string]string{
		"/usage":                        "/usage is a command of the chat, not a message; chatvault --help lists",
		"/usage is a word, what is it?": "/usage is a command of the chat",
		"/usgae":                        "Did you mean /usage? To send",
		"/USAGE \n":                     "/usage is a command of the chat",
		"/gaol":                         "Did you mean /goal? To send",
		"/goal tag all":                 "/goal is a command of the chat",
		"/plan sort my note":            "/plan is a command of the chat",
		"/xyzzy":                        "There is no command /xyzzy; /help lists them. To send",
		"/weekl":                        "Did you mean /weekly? To send",
	} {
		got := cmp.Or(InAsk(typed, Commands()), ParseTyped(typed, append(Commands(), Command{Name: "weekly"})).Hint)
		if !strings.Contains(got, want) || !strings.HasSuffix(got, asMessage) {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
	}
}

// What runs depends on the words and on the state of the chat.
func TestCommandsRun(t *testing.T) {
	busy := State{Turn: Turn{Running: true}}
	active := State{Goal: event.Goal{Text: "tags", Status: event.GoalPaused}}
	send := func(text string, mode event.Mode) Reply {
		return Reply{Send: &event.Inbound{Text: text, Mode: mode, Hold: true}}
	}
	broken := errors.New("no")
	for _, tt := range []struct {
		typed string
		state State
		err   error // of the action
		done  string
		want  Reply
	}{
		{"/help", State{}, nil, "", Reply{View: "help"}},
		{"/undo t1", State{}, nil, "", Reply{View: "undo", Words: "t1"}},
		{"/plan sort it", State{}, nil, "", send("sort it", event.ModePlan)},
		{"/goal", State{}, nil, "", Reply{Hint: "There is no goal. /goal TEXT sets one."}},
		{"/goal tags", State{}, nil, "goal tags", Reply{Told: event.GoalChanged{Goal: event.Goal{Text: "tags"}}, Send: send("tags", "").Send}},
		{"/goal tags", State{}, broken, "goal tags", Reply{Err: errors.New("The goal was not set: no"), Keep: true}},
		{"/goal drop", State{}, nil, "", refused("There is no goal to drop.")},
		{"/goal drop", active, nil, "goal ", Reply{Told: event.GoalChanged{}, Say: "The goal is dropped."}},
		{"/goal drop", active, broken, "goal ", refused("The goal was not dropped: no")},
		{"/goal resume", active, nil, "resume", Reply{}},
		{"/goal resume", active, broken, "resume", refused("The goal was not resumed: no")},
		{"/compact", State{}, nil, "compact", Reply{}},
		{"/compact", State{}, broken, "compact", refused("Nothing was summarised: no")},
		{"/compact", busy, nil, "", refused(turnRuns)},
		{"/retrospect", State{}, nil, "retrospect", Reply{}},
		{"/retrospect", State{}, broken, "retrospect", refused("Nothing to review: no")},
		{"/smarthole", State{}, nil, "", Reply{Hint: "SmartHole disconnected: it does not run"}},
		{"/smarthole ON", State{}, nil, "on", Reply{Hint: "Messages that SmartHole routes here are received."}},
		{"/smarthole on", State{}, broken, "on", refused("SmartHole stays off: no")},
		{"/smarthole off", State{}, nil, "off", Reply{Hint: "They are no longer received."}},
		{"/smarthole maybe", State{}, nil, "", refused("/smarthole on receives messages that SmartHole routes here, /smarthole off stops receiving them.")},
		{`/export "my file.md"`, State{}, nil, "export my file.md", Reply{Say: "The conversation is in /x/a.md."}},
		{"/export", busy, nil, "export ", Reply{Say: "The conversation is in /x/a.md, without the turn that runs."}},
		{"/export", State{}, broken, "export ", refused("Not exported: no")},
	} {
		var done []string
		do := able(&done, tt.err)
		typed := ParseTyped(tt.typed, CommandsFor(Commands(), do, everything, false))
		if typed.Command == nil {
			t.Fatalf("%q: %s", tt.typed, typed.Hint)
		}
		r := typed.Command.Do(Call{Words: typed.Words, State: &tt.state, Do: do})
		if r.Act != nil {
			r = r.Act(context.Background())
		}
		if !reflect.DeepEqual(r, tt.want) || strings.Join(done, ", ") != tt.done {
			t.Errorf("%q: %+v after %q, want %+v after %q", tt.typed, r, done, tt.want, tt.done)
		}
	}
}

// Every row is complete and has unique names.
func TestCommandTable(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range Commands() {
		if c.Does == "" || c.Needs && c.Args == "" {
			t.Errorf("/%s is not whole: %+v", c.Name, c)
		}
		for _, name := range append([]string{c.Name}, c.Aliases...) {
			if seen[name] || name != strings.ToLower(name) {
				t.Errorf("/%s is there twice, or not in small letters", name)
			}
			seen[name] = true
		}
	}
}

// A command does not exist if the front-end lacks its action or its view.
func TestCommandsFor(t *testing.T) {
	got := CommandNames(CommandsFor(Commands(), &Actions{}, func(v string) bool { return v == "help" }, false))
	if want := []string{"help", "plan"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	printed := CommandsFor(Commands(), &Actions{}, func(v string) bool { return v == "branches" }, true)
	if got := CommandHelp(printed); !slices.Contains(got, "/branches N: switch to one of them") {
		t.Errorf("%q", got)
	}
	if ParseTyped("/branches 2", printed).Command == nil || ParseTyped("/branches 2", Commands()).Command != nil {
		t.Error("words are taken where a view is printed, and only there")
	}
}

func TestCustomCommand(t *testing.T) {
	c := Command{Name: "weekly", Args: "TOPIC", Needs: true, Expand: func(words string) (string, error) {
		if words == "bad" {
			return "", errors.New("no")
		}
		return "What of " + words, nil
	}}
	if r := c.Do(Call{Words: "plums"}); r.Send == nil || r.Send.Text != "What of plums" {
		t.Errorf("%+v", r)
	}
	if r := c.Do(Call{Words: "bad"}); r.Err == nil || !r.Keep {
		t.Errorf("%+v", r)
	}
	if c.Required() != "TOPIC" || c.Alone() != c.Does {
		t.Error("what it needs")
	}
}

// Names match regardless of how the file system normalizes them.
func TestCustomCommandName(t *testing.T) {
	for file, want := range map[string]string{"U\u0308ber-mich": "über-mich", "Übersicht_2": "übersicht_2", "今週": "今週", "ONE": "one"} {
		c, err := slash.Parse(file, []byte("x"))
		name, words, ok := CutCommand("/" + strings.ToUpper(file) + " so many words")
		if err != nil || c.Name != want || !ok || name != want || words != "so many words" {
			t.Errorf("%q is %q, %v; typed it is %q, %q, %v", file, c.Name, err, name, words, ok)
		}
	}
}

// The agent itself says why a goal cannot be resumed.
func TestResumeWithoutAGoal(t *testing.T) {
	a, _ := forkable(t)
	r := goal(Call{Words: "resume", State: &State{}, Do: &Actions{Goal: a}}).Act(t.Context())
	if r.Err == nil || r.Err.Error() != "The goal was not resumed: there is none; /goal TEXT sets one" {
		t.Errorf("%+v", r)
	}
}

package offline_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"chatvault/agent/llm"
	"chatvault/tools"
)

// fullChat is a chat in which the user can be offered options, shown lists and so on.
func fullChat(t *testing.T) *chat {
	c := newChat(t, rigged())
	c.full = true
	return c
}

func TestCandidatesAreOfferedAsOptions(t *testing.T) {
	brandt, okafor := "Lena Brandt (People/Lena Brandt.md)", "Lena Okafor (People/Lena Okafor.md)"
	for _, k := range []struct{ pick, calls string }{
		{"option", "delete_file People/Lena Brandt.md"},
		{"number", "delete_file People/Lena Brandt.md"},
		{"words", "delete_file People/Lena Brandt.md"},
		{"cancel", ""},
		{"what is in the Recipes folder?", ""},
	} {
		c := fullChat(t)
		c.say("delete Lena")
		if want := []string{brandt, okafor}; !slices.Equal(slices.Sorted(slices.Values(c.options)), want) || strings.Contains(c.question, "1.") {
			t.Fatalf("asked %q with %q", c.question, c.options)
		}
		n := slices.Index(c.options, brandt) + 1
		say := map[string]string{"option": brandt, "number": fmt.Sprint(n), "words": "Brandt"}[k.pick]
		if say == "" {
			say = k.pick
		}
		if k.pick == "number" || k.pick == "option" {
			c.context = fmt.Sprintf("You had asked the user: “%s” The user chose option %d: “%s”.", c.question, n, brandt)
		}
		answer := c.say(say)
		if got := strings.Join(c.calls, "; "); got != k.calls {
			t.Errorf("%s: called %s, want %s\n%s", k.pick, got, k.calls, answer)
		}
		if again := c.say("continue"); len(c.calls) > 0 { // the order of the options stays, whatever was deleted
			t.Errorf("%s: then called %v: %s", k.pick, c.calls, again)
		}
	}
}

// What is picked is picked of what was offered, whatever came to the vault since.
func TestOptionsThatChangedAreNotPickedFrom(t *testing.T) {
	c := fullChat(t)
	c.say("delete Lena")
	if len(c.options) != 2 {
		t.Fatalf("options %q", c.options)
	}
	if err := os.WriteFile(filepath.Join(c.dir, "People/Lena Aal.md"), []byte("# Lena Aal\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := c.say("1"); strings.Join(c.calls, "; ") != "delete_file People/Lena Brandt.md" {
		t.Errorf("called %v: %s", c.calls, got)
	}
	// nor is an answer taken for one to another question
	c = fullChat(t)
	c.say("delete Lena")
	if err := os.Remove(filepath.Join(c.dir, "People/Lena Brandt.md")); err != nil {
		t.Fatal(err)
	}
	if got := c.say("1"); c.file("People/Lena Okafor.md") == "" {
		t.Errorf("called %v: %s", c.calls, got)
	}
}

func TestOptionsOfOtherQuestions(t *testing.T) {
	c := fullChat(t)
	c.say("delete the Recipes folder")
	if !slices.Equal(c.options, []string{"Yes", "No"}) || strings.Contains(c.question, "yes / no") {
		t.Errorf("asked %q with %q", c.question, c.options)
	}
	if got := c.say("No"); !strings.Contains(got, "nothing was changed") {
		t.Error(got)
	}
	c.say("create a note called Home with “new text”")
	if len(c.options) != 3 {
		t.Errorf("options %q", c.options)
	}
	c.say("Add the text to it")
	if got := c.file("Home.md"); !strings.Contains(got, "new text") {
		t.Errorf("Home is %q", got)
	}
	c.say(`add "` + strings.Repeat("long ", 60) + `" to Zeppelin`) // one option: no choice
	if len(c.options) != 0 || !strings.Contains(c.question, "1. Create a new note") {
		t.Errorf("asked %q with %q", c.question, c.options)
	}
}

func TestWhatWasDoneBeforeAQuestionIsSaidBeforeIt(t *testing.T) {
	c := fullChat(t)
	c.say("move Knee to Archive, then delete Lena")
	told := ""
	for _, m := range c.messages {
		if m.Role == llm.RoleAssistant && len(m.ToolCalls) > 0 {
			told += m.Content
		}
	}
	if !strings.Contains(told, "Moved “Knee”") {
		t.Errorf("before the question was said %q", told)
	}
	if got := c.say("1"); strings.Contains(got, "Moved") || !strings.Contains(got, "Deleted “Lena") {
		t.Error(got)
	}
}

func TestAMessageSentBeforeTheQuestionWasSeenIsNoAnswer(t *testing.T) {
	c := fullChat(t)
	c.say("delete Lena")
	q := c.question
	c.context = "You had asked the user: “" + q + "” The user sent this message before seeing the question, so it does not answer it. The question is still open: do not ask it again."
	c.say("show Knee")
	if c.question != q || !slices.Contains(c.calls, "read_file Health/Knee.md") {
		t.Errorf("asked %q, called %v", c.question, c.calls)
	}
	if got := c.say("1"); !strings.Contains(got, "Deleted “Lena") || strings.Contains(got, "Better since") {
		t.Error(got)
	}
}

func TestADeniedChangeIsLeftAlone(t *testing.T) {
	c := newChat(t, rigged())
	c.deny = func(p tools.Proposal) error {
		switch p.Kind {
		case tools.ChangeDelete:
			return &tools.Denied{Note: "keep it, I still need it"}
		case tools.ChangeFolder:
			return &tools.Denied{}
		case tools.ChangeMove:
			return fmt.Errorf("this change needs the user's consent, and nobody can be asked here")
		}
		return nil
	}
	for _, k := range []struct{ say, calls, answer string }{
		{"delete Knee and add 'x' to Garden", "delete_file Health/Knee.md; read_file Projects/Garden.md; edit_file Projects/Garden.md", "I did not delete “Knee”: you denied it, and said “keep it, I still need it”"},
		{"make a folder Old", "create_folder Old", "I did not create the folder: you denied it."},
		{"move Knee to Archive", "move_file Health/Knee.md → Archive/Knee.md", "I did not move “Knee”: this change needs the user's consent, and nobody can be asked here"},
		{"delete Knee, delete Knee", "delete_file Health/Knee.md", "I did not delete “Knee”"},
		{"continue", "", "There is nothing more I can do"},
	} {
		got := c.say(k.say)
		if calls := strings.Join(c.calls, "; "); calls != k.calls || !strings.Contains(got, k.answer) {
			t.Errorf("%q: called %s\n want %s\n%s", k.say, calls, k.calls, got)
		}
	}
	if c.file("Health/Knee.md") == "" || !strings.Contains(c.file("Projects/Garden.md"), "- x") {
		t.Error("the vault is not as told")
	}
}

func TestSeveralQuestionsInOneMessage(t *testing.T) {
	const three = "what do I know about the nectarine tart? who is Lotte Falk? when did I run without pain?"
	got := newChat(t, rigged()).say(three)
	for _, want := range []string{"**who is Lotte Falk?**", "[[Gran]] (People/Gran.md:6)", "Ran five kilometres", "[[Nectarine tart]]"} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %q:\n%s", want, got)
		}
	}
}

func TestASubAgentOnlyReads(t *testing.T) {
	c := newChat(t, rigged())
	c.purpose = llm.PurposeDelegate
	if got := c.say("delete Knee and show Gran"); !strings.Contains(got, "I only read here") || !strings.Contains(got, "Lotte Falk") || c.file("Health/Knee.md") == "" {
		t.Error(got)
	}
	c.offers = func(_ int, tool string) bool { return tool == "read_file" }
	if got := c.say("show Lena"); !strings.Contains(got, "1. **Lena") || len(c.calls) > 0 {
		t.Errorf("called %v: %s", c.calls, got)
	}
}

func TestMessagesThatArriveMeanwhileAreCarriedOutToo(t *testing.T) {
	c := fullChat(t)
	c.fold = map[int]string{1: "and delete Garden", 2: "what do I know about Heron?"}
	got := c.say("move Knee to Archive, then move Gran to Archive")
	c.calls = slices.DeleteFunc(c.calls, func(call string) bool { return strings.HasPrefix(call, "task_list") })
	if calls := strings.Join(c.calls, "; "); !strings.HasPrefix(calls, "move_file Health/Knee.md → Archive/Knee.md; move_file People/Gran.md → Archive/Gran.md; delete_file Projects/Garden.md; read_file Projects/Heron/Heron.md") {
		t.Errorf("called %s", calls)
	}
	for _, want := range []string{"Moved “Gran”", "Deleted “Garden”", "Measures the river level"} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %q:\n%s", want, got)
		}
	}
	c.fold = nil
	if got := c.say("continue"); !strings.Contains(got, "Nothing is left") || len(c.calls) > 0 {
		t.Errorf("then called %v: %s", c.calls, got)
	}
	if got := c.say("show it"); !strings.Contains(got, "Measures") { // earlier turns stay readable
		t.Error(got)
	}
	// before a question: the answer is still the next message
	c = fullChat(t)
	c.fold = map[int]string{1: "make a folder New"}
	c.say("move Knee to Archive, then delete Lena")
	if c.question == "" {
		t.Fatal("no question")
	}
	c.fold = nil
	if got := c.say("both"); !strings.Contains(got, "did not catch") {
		t.Error(got)
	}
	if got := c.say("1"); !strings.Contains(got, "Deleted “Lena") || !strings.Contains(got, "Created the folder `New/`") {
		t.Error(got)
	}
}

func TestMessagesThatPiledUpAreRequestsOfTheirOwn(t *testing.T) {
	c := fullChat(t)
	c.messages = append(c.messages, llm.Message{Role: llm.RoleUser, Content: "create a note called Tea", Time: c.now})
	c.say("delete Garden")
	if got := strings.Join(c.calls, "; "); got != "write_file Tea.md; delete_file Projects/Garden.md" {
		t.Errorf("called %s", got)
	}
	c.say("delete Lena")
	n := slices.Index(c.options, "Lena Brandt (People/Lena Brandt.md)") + 1
	c.messages = append(c.messages, llm.Message{Role: llm.RoleUser, Content: "show Knee", Time: c.now})
	c.say(fmt.Sprint(n))
	if got := strings.Join(c.calls, "; "); got != "delete_file People/Lena Brandt.md; read_file Health/Knee.md" {
		t.Errorf("called %s", got)
	}
}

func TestAToolThatIsNotOfferedIsNotCalled(t *testing.T) {
	c := fullChat(t)
	c.offers = func(_ int, tool string) bool { return tool != "delete_file" }
	got := c.say("delete Knee, then move Gran to Archive")
	if !strings.Contains(got, "I cannot do “delete Knee” now: the tool delete_file is not offered at this step.") || !strings.Contains(got, "Moved “Gran”") {
		t.Error(got)
	}
	// one that is withdrawn in the middle
	c = fullChat(t)
	c.offers = func(round int, tool string) bool { return round < 1 || tool != "edit_file" }
	if got := c.say("add 'x' to Knee"); !strings.Contains(got, "edit_file is not offered") || strings.Contains(c.file("Health/Knee.md"), "x\n") {
		t.Error(got)
	}
	c = fullChat(t)
	c.offers = func(int, string) bool { return false }
	if got := c.say("delete Lena"); !strings.Contains(got, "1. **Lena") {
		t.Errorf("without any tool: %s", got)
	}
}

func TestGoingRoundInCirclesEndsTheRequest(t *testing.T) {
	c := fullChat(t)
	if got := c.say("show Knee, then show Knee, then show Knee, then show Knee"); len(c.calls) != 1 || strings.Count(got, "Better since") != 4 {
		t.Errorf("called %v: %s", c.calls, got)
	}
	if got := c.say("move Knee to .obsidian, move Knee to .obsidian"); len(c.calls) != 1 || !strings.Contains(got, "protected") {
		t.Errorf("called %v: %s", c.calls, got)
	}
	// told so by the agent, the engine stops and says what is left
	c.rounds = 2
	c.say("delete Garden, delete Gran, delete Home")
	i := slices.IndexFunc(c.messages, func(m llm.Message) bool { return strings.HasPrefix(m.Content, "Deleted 'People/Gran.md'") })
	req := llm.Request{Messages: slices.Clone(c.messages[:i+1]), Tools: []llm.ToolSpec{{Name: "delete_file"}}}
	req.Messages[i].Content += "\n\n[You are going round in circles: delete_file has failed 5 times in a row. Do something else, or answer with what you have.]"
	r := c.stream(req)
	if len(r.ToolCalls) > 0 || !strings.Contains(r.Text, "delete_file has failed 5 times in a row") || !strings.Contains(r.Text, "**continue**") {
		t.Errorf("%d calls: %s", len(r.ToolCalls), r.Text)
	}
}

func TestContinueGoesOnInOtherWordsAndLanguages(t *testing.T) {
	for _, word := range []string{"continue", "go on", "please continue", "weiter", "mach weiter", "continue please", "carry on with the rest", "Keep going!", "continúa", "continuer"} {
		c := newChat(t, rigged())
		c.rounds = 1
		c.say("move Knee to Archive, then make a folder New")
		got := c.say(word)
		if calls := strings.Join(c.calls, "; "); calls != "create_folder New" || strings.Contains(got, "Moved") {
			t.Errorf("%q: called %s: %s", word, calls, got)
		}
	}
}

func TestContinueAfterAStopGoesOnWithWhatWasStopped(t *testing.T) {
	c := fullChat(t)
	c.say("show Knee")
	c.context = "The user stopped the previous request (“create a note called Tea with leaves, then move Gran to Archive”). It had already done this: created Tea.md."
	got := c.say("continue")
	if calls := strings.Join(c.calls, "; "); calls != "move_file People/Gran.md → Archive/Gran.md" || !strings.Contains(got, "Tea.md") {
		t.Errorf("called %s: %s", calls, got)
	}
	// a new request is not held back by what the stopped one had done
	c.context = "The user stopped the previous request (“add x to Home”). It had already done this: edited Home.md."
	if got := c.say("add 'y' to Home"); !strings.Contains(got, "Added to [[Home]]") {
		t.Error(got)
	}
	c.context = "The user stopped the previous request (“create a note with a long te…”). It had changed nothing."
	if got := c.say("continue"); len(c.calls) > 0 {
		t.Errorf("called %v: %s", c.calls, got)
	}
}

func TestStepsThatWereLeftOutAreNotRepeated(t *testing.T) {
	c := fullChat(t)
	c.context = "What you did for this so far (the steps themselves are left out to save room):\nMoved “Health/Knee.md” to “Archive/Knee.md”."
	if got := c.say("move Knee to Archive, then delete Gran"); len(c.calls) > 0 || !strings.Contains(got, "Moved “Health/Knee.md”") {
		t.Errorf("called %v: %s", c.calls, got)
	}
}

func TestASummaryOfOlderTurnsIsNoRequest(t *testing.T) {
	c := fullChat(t)
	c.messages = append(c.messages,
		llm.Message{Role: llm.RoleUser, Content: "[The older part of this conversation is left out to save room. This is its summary:]\n\nWhat was asked:\n- “delete Gran”: Deleted “Gran”.\n- “show Knee”: [[Knee]] (Health/Knee.md:1) # Knee"},
		llm.Message{Role: llm.RoleAssistant, Content: "I know what the summary says and will continue from there."},
	)
	if got := c.say("add 'slept' to it"); !strings.Contains(c.question, "Knee") {
		t.Errorf("asked %q: %s", c.question, got)
	}
	if got := c.say("yes"); !strings.Contains(c.file("Health/Knee.md"), "- slept") {
		t.Error(got)
	}
	c = fullChat(t)
	c.messages = append(c.messages,
		llm.Message{Role: llm.RoleUser, Content: "[The older part of this conversation is left out to save room. This is its summary:]\n\n- “delete Gran”: no answer."},
		llm.Message{Role: llm.RoleAssistant, Content: "I know what the summary says and will continue from there."},
	)
	if got := c.say("continue"); len(c.calls) > 0 || !strings.Contains(got, "nothing to continue") {
		t.Errorf("called %v: %s", c.calls, got)
	}
}

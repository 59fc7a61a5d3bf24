package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// host is a messenger with all optional interfaces.
type host struct {
	said
	asked  []string
	tasks  [][]TaskItem
	tasked []string
	report string
	err    error
}

func (h *host) AskUser(_ context.Context, question string, options []string) error {
	h.asked = append(h.asked, question+" "+strings.Join(options, "|"))
	return h.err
}

func (h *host) SetTasks(_ context.Context, items []TaskItem) error {
	h.tasks = append(h.tasks, items)
	return h.err
}

func (h *host) Delegate(_ context.Context, task string) (string, error) {
	h.tasked = append(h.tasked, task)
	return h.report, h.err
}

func TestAskUser(t *testing.T) {
	var h host
	turn := turnOver(&fakeStore{}, &h)
	long, nine := strings.Repeat("ä", maxOption+1), strings.Repeat(`"x",`, 9)
	runSteps(t, turn, []step{
		{"ask_user", `{"question": "Which?", "options": ["One", " two\nlines "]}`, "Question asked, with 2 options. Your turn ends here; …", "asked"},
		{"ask_user", `{"question": "Which?", "choices": ["One", "two"]}`, `Error: Wrong arguments for ask_user: unknown arguments ["choices"]. …`, ""},
		{"ask_user", `{"question": "Which?"}`, `Error: Wrong arguments for ask_user: missing arguments: ["options"]. …`, ""},
		{"ask_user", `{"question": "Which?", "options": ["One"]}`, `Error: Wrong arguments for ask_user: options: minItems: array length 1 is less than 2. …`, ""},
		{"ask_user", `{"question": "Which?", "options": [` + nine + `"y"]}`, `Error: Wrong arguments for ask_user: options: maxItems: array length 10 is greater than 9. …`, ""},
		{"ask_user", `{"question": "Which?", "options": "One, two"}`, `Error: Wrong arguments for ask_user: options: minItems: array length 1 is less than 2. …`, ""},
		{"ask_user", `{"question": "Which?", "options": ["One", {"a": 2}]}`, `Error: Wrong arguments for ask_user: options[]: type: map[a:2] has type "object", want "string". …`, ""},
		{"ask_user", `{"question": "Which?", "options": ["One", " "]}`, `Error: Option 2 is blank. …`, ""},
		{"ask_user", `{"question": "Which?", "options": ["One", "` + long + `"]}`, `Error: Option 2 has 121 characters; at most 120 fit. …`, ""},
		{"ask_user", `{"question": " ", "options": ["a", "b"]}`, `Error: The question is blank. …`, ""},
		{"ask_user", `{"question": "` + strings.Repeat("x", maxQuestion+1) + `", "options": ["a", "b"]}`, `Error: The question has 2001 characters; …`, ""},
	})
	if got := fmt.Sprint(h.asked); got != "[Which? One|two lines]" {
		t.Errorf("asked %s", got)
	}
	h.err = context.Canceled
	runSteps(t, turn, []step{{"ask_user", `{"question": "Which?", "options": ["a", "b"]}`, "Error: ask_user was stopped before it finished.", "stopped"}})
}

func TestTaskList(t *testing.T) {
	var h host
	turn := turnOver(&fakeStore{}, &h)
	many := strings.Repeat(`{"text": "x"},`, 50)
	runSteps(t, turn, []step{
		{"task_list", `{"items": [{"text": "Read", "done": true}, {"text": "Write\n it"}, {"text": "Check"}]}`, "The list is shown: 1 of 3 done. Next: Write it", "1 of 3 done"},
		{"task_list", `{"items": [{"text": "Read", "done": "true"}]}`, "The list is shown: 1 of 1 done.", "1 of 1 done"},
		{"task_list", `{"items": []}`, `Error: Wrong arguments for task_list: items: minItems: array length 0 is less than 1. …`, ""},
		{"task_list", `{"items": [` + many + `{"text": "y"}]}`, `Error: Wrong arguments for task_list: items: maxItems: array length 51 is greater than 50. …`, ""},
		{"task_list", `{"items": [{"text": "a"}, {"done": true}]}`, `Error: Wrong arguments for task_list: items[]: missing arguments: ["text"]. …`, ""},
		{"task_list", `{"items": [{"text": "a", "finished": true}]}`, `Error: Wrong arguments for task_list: items[]: unknown arguments ["finished"]. …`, ""},
		{"task_list", `{"items": [{"text": ""}]}`, `Error: Wrong arguments for task_list: items[].text: minLength: "" contains 0 Unicode code points, fewer than 1. …`, ""},
		{"task_list", `{"items": [{"text": "a"}, {"text": "\t"}]}`, `Error: Step 2 is blank. …`, ""},
		{"task_list", `{"items": [{"text": "` + strings.Repeat("x", maxTaskText+1) + `"}]}`, `Error: Step 1 has 201 characters; …`, ""},
	})
	if got := fmt.Sprint(h.tasks); got != "[[{Read true} {Write it false} {Check false}] [{Read true}]]" {
		t.Errorf("tasks %s", got)
	}
	h.err = errors.New("the screen is gone")
	runSteps(t, turn, []step{{"task_list", `{"items": [{"text": "a"}]}`, "Error: task_list failed: the screen is gone.", "the screen is gone"}})
}

func TestDelegate(t *testing.T) {
	h := host{report: "Found 2 notes.\nAll is well."}
	turn := turnOver(&fakeStore{}, &h)
	runSteps(t, turn, []step{
		{"delegate", `{"task": " Read all. "}`, "Found 2 notes.\nAll is well.", "2 lines"},
		{"delegate", `{"task": "\n"}`, "Error: The task is blank. …", ""},
		{"delegate", `{"task": "` + strings.Repeat("x", maxTask+1) + `"}`, "Error: The task has 20001 characters; …", ""},
	})
	if got := fmt.Sprint(h.tasked); got != "[Read all.]" {
		t.Errorf("delegated %s", got)
	}
	h.err = errors.New("it found nothing")
	runSteps(t, turn, []step{{"delegate", `{"task": "x"}`, "Error: No report: it found nothing.", "no report"}})
	if tool, _ := turn.Lookup("delegate"); !tool.ReadOnly() {
		t.Error("delegate does not run beside others")
	}
}

// TestTargetsOfHostTools checks that targets are one line, whatever the arguments.
func TestTargetsOfHostTools(t *testing.T) {
	for _, tt := range []struct{ tool, args, want string }{
		{"ask_user", `{"question": "Which one?\nBoth fit.", "options": ["a", "b"]}`, "Which one? …"},
		{"task_list", `{"items": [{"text": "a", "done": true}, {"text": "b"}]}`, "1 of 2 done"},
		{"task_list", `{}`, ""},
		{"delegate", `{"task": "Read the notes of May"}`, "Read the notes of May"},
	} {
		if got := Target(tt.tool, []byte(tt.args)); got != tt.want {
			t.Errorf("Target(%s, %s) = %q, want %q", tt.tool, tt.args, got, tt.want)
		}
	}
}

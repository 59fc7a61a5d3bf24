// Package prompts is what a model is told beside messages and notes: templates, each of which a vault
// may replace by a file of its own. A template can do nothing but write text, and only so much of it.
package prompts

import (
	"embed"
	"fmt"
	"strings"
	"sync"
	"time"

	"chatvault/tools"
)

// Vars are the variables of the prompts' templates; docs/prompts.md explains them to
// users. They are plain data, so that a template that came with a vault can do nothing but
// write text.
//
//	variable                  what it is
//	.VaultName                the vault's name
//	.Notes .Folders           how many there are; .Complete: the counts are exact
//	.Top                      the largest folders, each with .Path and .Notes
//	.InformationArchitecture  where things go, in the person's words
//	.Instructions             what the vault's owner tells agents, from .InstructionsFile: "AGENTS.md"; empty: nothing that was agreed to
//	.Skills                   what the agent may use with use_skill, each with .Name and .About; only what counts
//	.UserName                 who the person is; may be empty
//	.NewNotes                 the folder of new notes for which nobody names one; may be empty
//	.ReadOnly                 nothing in the vault can be changed
//	.TimeZone                 where the person is: "Europe/Berlin"; may be empty
//	.MaxRounds                how many rounds of tool calls a message may take
//	.Time                     local time: "Saturday, 2026-11-21 14:05 (UTC+01:00)"
//	.Tools                    those of the turn, in plan those that may be called; each with .Name, .About (its first sentence) and .ReadOnly
//	.Question .Options        the question that waits for an answer, and what was offered with it
//	.Goal                     what is worked toward over several turns; empty: nothing
//	.GoalTurn .GoalMaxTurns   which turn of how many this is
//	.GoalWhy                  why the goal was not met when it was last checked
//	.Revising                 plan: the message says what should be different about the last one
//	.Task                     delegate: what the sub-agent is to find out
//
// The built-in system prompt uses only what stays the same while a conversation lasts, so that
// a provider can cache it; the rest stands beside the user's message.
type Vars struct {
	VaultName               string
	Notes, Folders          int
	Complete                bool
	Top                     []FolderCount
	InformationArchitecture string
	Instructions            string
	InstructionsFile        string
	Skills                  []Skill
	UserName                string
	NewNotes                string
	ReadOnly                bool
	TimeZone                string
	MaxRounds               int

	Time     string
	Tools    []Tool
	Question string
	Options  []string

	Goal         string
	GoalTurn     int
	GoalMaxTurns int
	GoalWhy      string

	Revising bool

	Task string
}

// Skill is a skill as a prompt's template sees it.
type Skill struct {
	Name  string
	About string // what it does, and when it is to be used
}

// FolderCount counts the notes below a folder.
type FolderCount struct {
	Path  string
	Notes int
}

// Tool is a tool as a prompt's template sees it.
type Tool struct {
	Name     string
	About    string // the first sentence of its description
	ReadOnly bool   // it changes no note
}

// The prompts, by the names of their templates.
const (
	System    = "system"
	Plan      = "plan"
	Goal      = "goal"
	GoalCheck = "goal_check"
)

//go:embed *.tmpl
var builtinFiles embed.FS

// builtin are the built-in prompts, each template under its prompt's name.
var builtin = sync.OnceValue(parseBuiltin)

func parseBuiltin() map[string]*prompt {
	files, err := builtinFiles.ReadDir(".")
	if err != nil {
		panic(err)
	}
	all := map[string]*prompt{}
	for _, f := range files {
		text, err := builtinFiles.ReadFile(f.Name())
		if err != nil {
			panic(err)
		}
		t, err := parseTemplate(f.Name(), string(text))
		if err != nil {
			panic(err)
		}
		all[strings.TrimSuffix(f.Name(), suffix)] = t
	}
	return all
}

// Builtin renders a built-in prompt.
func Builtin(name string, v Vars) (string, error) {
	t := builtin()[name]
	if t == nil {
		return "", fmt.Errorf("there is no prompt %q", name)
	}
	text, err := execute(t, v)
	if err != nil {
		return "", fmt.Errorf("the prompt %s cannot be made: %w", name, err)
	}
	return text, nil
}

// Time is a time as the prompts show it.
func Time(t time.Time) string { return t.Local().Format("Monday, 2006-01-02 15:04 (UTC-07:00)") }

// Tools are tools as the prompts show them.
func Tools(list []tools.Tool) []Tool {
	out := make([]Tool, len(list))
	for i, t := range list {
		out[i] = Tool{Name: t.Name(), About: firstSentence(t.Description()), ReadOnly: t.ReadOnly()}
	}
	return out
}

// firstSentence is text up to the first full stop that ends a word, at most its first paragraph.
func firstSentence(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n\n")
	text = strings.Join(strings.Fields(text), " ")
	for i := range len(text) {
		if strings.IndexByte(".!?", text[i]) >= 0 && (i+1 == len(text) || text[i+1] == ' ') {
			return text[:i+1]
		}
	}
	return text
}

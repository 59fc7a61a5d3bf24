// Package prompts renders the prompts: text templates, each of which a vault may replace by a file. A template can
// only write text of bounded length.
package prompts

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"chatvault/internal/base/statefile"
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
	System        = "system"
	SystemCompact = "system_compact" // of a small model's turns
	Plan          = "plan"
	Goal          = "goal"
	GoalCheck     = "goal_check"
)

//go:embed *.tmpl
var builtinFiles embed.FS

// Builtin renders a built-in prompt.
func Builtin(name string, v Vars) (string, error) {
	source, err := builtinFiles.ReadFile(name + suffix)
	if err != nil {
		return "", fmt.Errorf("there is no prompt %q", name)
	}
	text, err := render(name, string(source), v)
	if err != nil {
		err = fmt.Errorf("the prompt %s cannot be made: %w", name, err)
	}
	return text, err
}

// Time formats a time for prompts.
func Time(t time.Time) string { return t.Local().Format("Monday, 2006-01-02 15:04 (UTC-07:00)") }

// Tools converts tools for prompts.
func Tools(list []tools.Tool) []Tool {
	out := make([]Tool, len(list))
	for i, t := range list {
		out[i] = Tool{Name: t.Name(), About: firstSentence(t.Description()), ReadOnly: t.ReadOnly()}
	}
	return out
}

// firstSentence returns the first sentence of a text's first paragraph.
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

const (
	folder        = ".smarthole/prompts"
	suffix        = ".tmpl"
	maxPromptFile = 64 << 10 // bytes
)

// Files are the prompts of a vault: the built-in ones, or the vault's own from .smarthole/prompts/NAME.tmpl where
// they work. It is safe for concurrent use.
type Files struct {
	vault  *os.Root
	agreed func(file string, data []byte) bool

	mu   sync.Mutex
	told map[string]string // what was in a file of which the user knows that it cannot be used
}

// NewFiles returns the prompts of a vault in the folder vault; nil means the built-in ones. A file counts only if
// agreed, called with its name relative to the vault, returns true, since it may be a stranger's.
func NewFiles(vault *os.Root, agreed func(file string, data []byte) bool) *Files {
	return &Files{vault: vault, agreed: agreed, told: map[string]string{}}
}

// Render renders a prompt. If the vault's own version cannot be used, it renders the built-in one and problem says
// why, once per change of the file. own is set if the text is the vault's.
func (p *Files) Render(name string, v Vars) (text string, own bool, problem string, err error) {
	if text, own, problem = p.override(name, v); !own {
		text, err = Builtin(name, v)
	}
	return text, own, problem, err
}

// override renders the vault's own version; false if there is none that works.
func (p *Files) override(name string, v Vars) (text string, ok bool, problem string) {
	if p.vault == nil || p.agreed == nil {
		return "", false, ""
	}
	data, err := load(p.vault, name)
	p.mu.Lock()
	defer p.mu.Unlock()
	if errors.Is(err, fs.ErrNotExist) {
		delete(p.told, name)
		return "", false, ""
	}
	if !p.agreed(path(name), data) {
		return "", false, "" // the session has reported it
	}
	if err == nil {
		if text, err = render(name, strings.TrimPrefix(string(data), "\ufeff"), v); err == nil {
			return text, true, ""
		}
	}
	if told, is := p.told[name]; is && told == string(data) {
		return "", false, ""
	}
	p.told[name] = string(data)
	return "", false, fmt.Sprintf("%s cannot be used, so the built-in prompt is used: %v", path(name), err)
}

// load reads a vault's own prompt.
func load(vault *os.Root, name string) ([]byte, error) {
	data, err := statefile.Read(vault, path(name), maxPromptFile)
	if err == nil && !utf8.Valid(data) {
		err = errors.New("it is not UTF-8 text")
	}
	switch {
	case errors.Is(err, statefile.ErrTooLarge):
		err = fmt.Errorf("it is larger than the %d KB a prompt may have", maxPromptFile>>10)
	case errors.Is(err, statefile.ErrNotFile):
		err = errors.New("it is not a regular file")
	}
	return data, err
}

// path returns the path of a vault's own prompt in the vault.
func path(name string) string { return folder + "/" + name + suffix }

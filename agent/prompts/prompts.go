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

// Vars are the variables of the prompts' templates; docs/prompts.md explains them to users. They are plain data, so that a
// template that came with a vault can only write text.
//
//	variable                  value
//	.VaultName                the vault's name
//	.Notes .Folders           their numbers, exact if .Complete is set
//	.Top                      the largest folders, each with .Path and .Notes
//	.InformationArchitecture  where things go, in the user's words
//	.Instructions             the owner's instructions for agents, from .InstructionsFile ("AGENTS.md"); empty without consent
//	.Skills                   the skills for use_skill, each with .Name and .About
//	.UserName                 the user's name; may be empty
//	.NewNotes                 the default folder of new notes; may be empty
//	.WeekNote                 path of this week's note; empty unless the vault's settings have weekly notes
//	.ReadOnly                 whether the vault cannot be changed
//	.TimeZone                 the user's time zone, "Europe/Berlin"; may be empty
//	.MaxRounds                the maximum number of rounds of tool calls for a message
//	.Time                     the local time, "Saturday, 2026-11-21 14:05 (UTC+01:00)"
//	.Tools                    the tools of the turn, in plan those that may be called; each with .Name, .About (its first sentence) and .ReadOnly
//	.Question .Options        the open question and its options
//	.Goal                     the goal over several turns; empty if there is none
//	.GoalTurn .GoalMaxTurns   the number of this turn, and the maximum
//	.GoalWhy                  why the goal was not met at the last check
//	.Revising                 plan: whether the message asks for changes of the last plan
//	.Task                     delegate: the task of the sub-agent
//
// The built-in system prompt uses only variables that stay the same during a conversation, so that a provider can cache
// it. The others are in the context of the user's message.
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
	WeekNote                string
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
	told map[string]string // contents of unusable files that the user was notified of
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

// override renders the vault's own version. It returns false if that does not exist or cannot be used.
func (p *Files) override(name string, v Vars) (text string, ok bool, problem string) {
	if p.vault == nil || p.agreed == nil {
		return "", false, ""
	}
	data, err := statefile.Read(p.vault, path(name), maxPromptFile)
	if err == nil && !utf8.Valid(data) {
		err = errors.New("it is not UTF-8 text")
	} else if errors.Is(err, statefile.ErrTooLarge) {
		err = fmt.Errorf("it is larger than the %d KB a prompt may have", maxPromptFile>>10)
	}
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

// path returns the path of a vault's own prompt in the vault.
func path(name string) string { return folder + "/" + name + suffix }

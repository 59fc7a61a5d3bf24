package agent

import (
	_ "embed"
	"strings"
	"text/template"
)

// PromptVars are the variables of the system prompt's template.
type PromptVars struct {
	VaultName               string
	Notes, Folders          int
	Complete                bool          // the counts are exact
	Top                     []FolderCount // the largest folders
	InformationArchitecture string        // where things go, in the person's words
}

// FolderCount counts the notes below a folder.
type FolderCount struct {
	Path  string
	Notes int
}

//go:embed prompts/system.tmpl
var systemTemplate string

var systemPrompt = template.Must(template.New("system").Option("missingkey=error").Parse(systemTemplate))

// SystemPrompt renders the system prompt.
func SystemPrompt(v PromptVars) (string, error) {
	var b strings.Builder
	err := systemPrompt.Execute(&b, v)
	return strings.TrimSpace(b.String()), err
}

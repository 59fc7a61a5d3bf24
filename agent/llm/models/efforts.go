package models

import (
	"path"
	"strings"
)

// efforts has the levels of reasoning effort of models, by patterns of their names (path.Match); the first match
// counts. They correct and complete catwalk's. Sources: openai/openai-openapi:openapi.yaml
// (ReasoningEffort), the models' pages, and platform.claude.com, as of November 2026.
var efforts = []struct{ names, levels string }{
	{"gpt-[34]*", ""},
	{"chatgpt-*", ""},
	{"gpt-5*-chat*", ""},
	{"gpt-5-pro*", "high"},
	{"gpt-5.*-pro*", "medium high xhigh"},
	{"gpt-5-codex*", "low medium high"},
	{"gpt-5.1-codex-max*", "low medium high xhigh"},
	{"gpt-5.1-codex*", "low medium high"},
	{"gpt-5.*-codex*", "low medium high xhigh"},
	{"gpt-5.1*", "none low medium high"},
	{"gpt-5.[2-5]*", "none low medium high xhigh"},
	{"gpt-oss*", "low medium high"},
	{"o1-mini*", ""},
	{"o1-preview*", ""},
	{"o[134]*", "low medium high"},
	{"claude-[12]*", ""},
	{"claude-instant*", ""},
	{"claude-3?7*", "low medium high"},
	{"claude-3*", ""},
}

// Efforts returns the levels of reasoning effort that a model accepts, none if it does not reason, and whether they are
// known.
func Efforts(provider, baseURL, model string) (levels []string, known bool) {
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	for _, e := range efforts {
		if fits, _ := path.Match(e.names, name); fits {
			return strings.Fields(e.levels), true
		}
	}
	m, known := Find(provider, baseURL, model)
	if m.Reasons && m.Efforts == nil {
		return []string{"low", "medium", "high"}, true
	}
	return m.Efforts, known
}

package session

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"chatvault/agent/history"
	"chatvault/internal/app/config"
	"chatvault/tools/transcript"
	"chatvault/vault"
	"chatvault/vault/glob"
)

// visibleUndo returns the part of an undo that the agent may know: no lines about files that are now private.
func visibleUndo(v *vault.Vault, u vault.Undone) vault.Undone {
	var lines []string
	for i, line := range u.Lines {
		if i >= len(u.About) || !slices.ContainsFunc(u.About[i], v.Private) {
			lines = append(lines, line)
		}
	}
	u.Lines = lines
	u.Refused = slices.DeleteFunc(slices.Clone(u.Refused), func(r vault.Refusal) bool { return r.Path == "" || v.Private(r.Path) })
	return u
}

// withhold returns the rule for recorded results that must no longer be sent because a file became private: results
// of calls that name it, and results that mention it.
func (a *Session) withhold() history.Rule {
	if len(a.config.Private) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	files := a.vault.PrivateFiles(ctx)
	return func(arguments, result string) bool {
		return transcript.NamesPrivate(arguments, result, a.vault.Private) ||
			slices.ContainsFunc(files, func(f string) bool { return namesPath(result, f) })
	}
}

// namesPath reports whether a text contains a path that is not part of a longer one.
func namesPath(text, path string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], path)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(path)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if (start == 0 || before != '/' && !wordRune(before)) && (end == len(text) || after != '/' && !wordRune(after)) {
			return true
		}
		from = start + 1
	}
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || r == '_' }

// privateIn returns the matcher of the configured private files, or nil.
func privateIn(cfg *config.Config) func(name string) bool {
	list, err := glob.NewList(cfg.PrivateGlobs())
	if err != nil { // a vault cannot be opened with it
		return func(string) bool { return true }
	}
	return list.Has
}

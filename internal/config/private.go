package config

import (
	"fmt"
	"strings"

	"chatvault/internal/text"
)

// privateKey holds globs of notes that the agent may not see. It is a list that grows: what the
// vault's file names comes to what the user's file names, so that neither can take from the
// other's.
const privateKey = "private"

func private(c *Config) holder {
	return holder{
		kind: KindList,
		set: func(raw any, o Origin) error {
			globs, err := parseGlobs(raw)
			for _, g := range globs {
				c.Private = append(c.Private, Value[string]{g, o})
			}
			return err
		},
		show: func() (string, Origin) {
			if len(c.Private) == 0 {
				return "", Origin{}
			}
			return strings.Join(c.PrivateGlobs(), ", "), c.Private[len(c.Private)-1].Origin
		},
		byFile: c.privateByFile,
	}
}

// maxGlobs bounds the globs of one file.
const maxGlobs = 1000

// parseGlobs takes a list of texts, or one.
func parseGlobs(raw any) ([]string, error) {
	items, ok := raw.([]any)
	if text, single := raw.(string); single {
		items, ok = []any{text}, true
	}
	switch {
	case !ok:
		return nil, fmt.Errorf(`must be a list of globs such as ["Diary/", "*.secret.md"], not %s`, typeName(raw))
	case len(items) > maxGlobs:
		return nil, fmt.Errorf("must have at most %d globs, not %d; put what is private into a folder", maxGlobs, len(items))
	}
	globs := make([]string, 0, len(items))
	for _, item := range items {
		glob, err := parseText(item)
		if err != nil {
			return nil, fmt.Errorf("each entry %w", err)
		}
		globs = append(globs, glob)
	}
	return globs, nil
}

// checkPrivate has the globs that came from o looked at.
func (l *loader) checkPrivate(o Origin) {
	if l.in.CheckGlob == nil {
		return
	}
	for _, g := range l.cfg.Private {
		if g.Origin != o {
			continue
		}
		if err := l.in.CheckGlob(g.V); err != nil {
			l.errs.add(o, privateKey, "%s", err)
		}
	}
}

// PrivateGlobs are the globs of `private` alone.
func (c *Agent) PrivateGlobs() []string {
	return text.Of(c.Private, func(g Value[string]) string { return g.V })
}

// privateByFile is a line for each file that names something private.
func (c *Config) privateByFile() []tableLine {
	var lines []tableLine
	for _, g := range c.Private {
		if n := len(lines) - 1; n >= 0 && lines[n].at == g.Origin {
			lines[n].value += ", " + g.V
			continue
		}
		lines = append(lines, tableLine{privateKey, g.V, g.Origin})
	}
	return lines
}

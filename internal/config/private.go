package config

import (
	"fmt"
	"strings"
)

// privateKey holds globs of notes that the agent may not see. It is a list that grows: what the
// vault's file names comes to what the user's file names, so that neither can take from the
// other's.
const privateKey = "private"

var privateField = field{
	key: privateKey, vault: freely,
	apply: func(c *Config, raw any, o Origin) error {
		globs, err := parseGlobs(raw)
		if err != nil {
			return err
		}
		for _, g := range globs {
			c.Private = append(c.Private, Value[string]{g, o})
		}
		return nil
	},
	show: func(*Config) (string, Origin) { return "", Origin{} }, // describePrivate shows what is set
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
func (c *Config) PrivateGlobs() []string {
	globs := make([]string, len(c.Private))
	for i, g := range c.Private {
		globs[i] = g.V
	}
	return globs
}

// describePrivate is a line for each file that names something private.
func (c *Config) describePrivate() []Line {
	var lines []Line
	for i := 0; i < len(c.Private); {
		o := c.Private[i].Origin
		var globs []string
		for ; i < len(c.Private) && c.Private[i].Origin == o; i++ {
			globs = append(globs, c.Private[i].V)
		}
		lines = append(lines, Line{privateKey, oneLine(strings.Join(globs, ", ")), o.String()})
	}
	return lines
}

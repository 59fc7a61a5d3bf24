package moment

import (
	"regexp"
	"strings"
)

// LogseqSetting returns a text in Logseq's settings (config.edn), or missing.
func LogseqSetting(settings []byte, name, missing string) string {
	if m := regexp.MustCompile(`(?m)^[^;\n]*:` + name + `\s+"([^"\n]+)"`).FindSubmatch(settings); m != nil {
		return string(m[1])
	}
	return missing
}

// Logseq returns the format of what journal pages have, "page-title" or "file-name", in Logseq's settings, else a
// default, both in Java's tokens. The result is in those of this package.
func Logseq(settings []byte, what, format string) string {
	format = LogseqSetting(settings, "journal/"+what+"-format", format)
	return strings.NewReplacer("yyyy", "YYYY", "do", "Do", "dd", "DD", "d", "D", "EEEE", "dddd", "EEE", "ddd", "E", "ddd").Replace(format)
}

package moment

import (
	"regexp"
	"strings"
)

// Logseq returns the format of what journal pages have, "page-title" or "file-name", in Logseq's settings (config.edn),
// else a default, both in Java's tokens. The result is in those of this package.
func Logseq(settings []byte, what, format string) string {
	if m := regexp.MustCompile(`(?m)^[^;\n]*:journal/` + what + `-format\s+"([^"\n]+)"`).FindSubmatch(settings); m != nil {
		format = string(m[1])
	}
	return strings.NewReplacer("yyyy", "YYYY", "do", "Do", "dd", "DD", "d", "D", "EEEE", "dddd", "EEE", "ddd", "E", "ddd").Replace(format)
}

package retrieval

import (
	"embed"
	"strings"
	"sync"
)

// irregular maps English forms that no suffix rule reaches to their base, and
// American spellings to the British ones the thesaurus is written in.
var irregular = sync.OnceValue(irregularForms)

//go:embed words/*.txt
var wordFiles embed.FS

// words is a list of words that comes with the program: of irregular.txt a base and its forms on each
// line, of the others words between white space.
func words(name string) string {
	data, _ := wordFiles.ReadFile("words/" + name + ".txt") // it is in the program
	return string(data)
}

func irregularForms() map[string]string {
	m := map[string]string{}
	for line := range strings.Lines(words("irregular")) {
		words := strings.Fields(line)
		for i := 1; i < len(words); i++ {
			m[words[i]] = words[0]
		}
	}
	return m
}

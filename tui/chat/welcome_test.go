package chat

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// Without a model, the first screen says what this is, what it can do now and how to add a model, each on one line of
// 74 cells.
func TestWelcomeWithoutAModel(t *testing.T) {
	env := testEnv("none")
	three := []string{
		"Chat with your notes: ask, or say what to write, change, move or delete.",
		"Without a model, it quotes and lists your notes and makes exact changes.",
		"/model adds one: a key, or a server here (Ollama, LM Studio, llama.cpp).",
	}
	for _, examples := range [][]string{nil, {"What can you do?"}} {
		w := NewWelcome(env, WelcomeData{VaultName: "Garden", Provider: "offline engine", WithoutModel: [2]string{three[1], three[2]}, Examples: examples})
		var got []string
		for _, line := range w.Lines(76) {
			got = append(got, strings.TrimSpace(ansi.Strip(line)))
		}
		at := slices.Index(got, three[0])
		if at < 0 || !slices.Equal(got[at:at+3], three) {
			t.Errorf("%q", got)
		}
	}
}

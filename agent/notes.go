package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"chatvault/internal/atomicfile"
)

// notes is what the next turn should know of earlier ones beside the conversation, kept in
// state.json so that it survives the process.
type notes struct {
	Schema  int      `json:"schema"`
	Stopped *stopped `json:"stopped,omitempty"`
}

// stopped is a turn the user stopped; it is not in the conversation.
type stopped struct {
	Text    string    `json:"text"`
	Time    time.Time `json:"time"`
	Changes []string  `json:"changes,omitempty"`
}

const notesFile = "state.json"

func loadNotes(root *os.Root) (notes, error) {
	n := notes{Schema: 1}
	data, err := root.ReadFile(notesFile)
	if errors.Is(err, fs.ErrNotExist) {
		return n, nil
	}
	if err != nil {
		return n, err
	}
	if err := json.Unmarshal(data, &n); err != nil {
		name, asideErr := atomicfile.SetAside(root, notesFile)
		return notes{Schema: 1}, errors.Join(fmt.Errorf("state.json could not be read and was set aside as .smarthole/%s: %w", name, err), asideErr)
	}
	return n, nil
}

func (n notes) save(root *os.Root) error {
	data, err := json.MarshalIndent(n, "", " ")
	if err != nil {
		return err
	}
	return atomicfile.WriteFile(root, notesFile, append(data, '\n'), 0o600)
}

// sentence tells the model in one line what was stopped.
func (s *stopped) sentence() string {
	done := "It had changed nothing."
	if len(s.Changes) > 0 {
		done = "It had already done this: " + strings.Join(s.Changes, "; ") + "."
	}
	return fmt.Sprintf("The user stopped the previous request (“%s”). %s", excerpt(s.Text, 200), done)
}

// excerpt is text on one line, at most n runes of it.
func excerpt(text string, n int) string {
	r := []rune(strings.Join(strings.Fields(text), " "))
	if len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return string(r)
}

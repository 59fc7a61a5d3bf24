package stress

import (
	"fmt"
	"path/filepath"
	"strings"
)

// settled looks at what a process that was killed has left of one message, which finds the vault
// as old and leaves it as done, and takes the message up again, which is the next start. Each
// fault begins with one word: lost, torn, twice, or what else it is.
func (h *home) settled(r ran, message string, old, done map[string]string) (again ran, faults []string) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	for _, name := range h.torn() {
		fault("torn: state file %s", name)
	}
	if half := between(files(h.vault), old, done); len(half) > 0 {
		fault("torn: %v", half)
	}
	inbox, answered, err := h.kept(message)
	if err != nil {
		fault("torn: %v", err)
	}
	known := inbox+answered > 0
	if !known && len(r.accepted()) > 0 {
		fault("lost: the message was shown as received, and is nowhere")
	}

	again = h.run(0, nil, "inbox", "retry", "--yes")
	if again.status != 0 {
		fault("stuck: taking it up again ended with %d: %s", again.status, again.err)
	}
	inboxAfter, answeredAfter, err := h.kept(message)
	if err != nil {
		fault("torn: after the next start: %v", err)
	}
	if known && answeredAfter != 1 || inboxAfter != 0 {
		fault("unanswered: %d in the inbox and %d answers afterwards; it was %d and %d before: %s", inboxAfter, answeredAfter, inbox, answered, again.err)
	}
	want := done
	if !known {
		want = old
	}
	if d := differences(files(h.vault), want); len(d) > 0 {
		fault("twice: or not at all: %v", d)
	}
	if known {
		for _, text := range h.refusals() {
			fault("refused: what was done already: %s", text)
		}
	}
	return again, faults
}

// refusals are the errors that tools gave in turns that went well.
func (h *home) refusals() (texts []string) {
	conversations, _ := filepath.Glob(h.state("conversations", "*.jsonl"))
	for _, c := range conversations {
		turns, _ := turnsOf(c)
		for _, turn := range turns {
			for _, m := range turn.Messages {
				if m.IsError && !turn.Failed {
					texts = append(texts, m.Content)
				}
			}
		}
	}
	return texts
}

// between are the notes that are neither as they were nor as they are to be, under whatever name:
// a move is in the middle for a moment, but no note ever is.
func between(now, old, done map[string]string) (half []string) {
	whole := map[string]bool{}
	for _, side := range []map[string]string{old, done} {
		for _, text := range side {
			whole[text] = true
		}
	}
	for name, text := range now {
		if !whole[text] && !strings.HasPrefix(filepath.Base(name), ".chatvault-tmp-") {
			half = append(half, fmt.Sprintf("%s holds %d bytes: %.60q", name, len(text), text))
		}
	}
	return half
}

package inbox

import (
	"errors"
	"fmt"
	"path/filepath"

	"chatvault/agent/event"
	"chatvault/internal/text"
)

// Recover looks for messages of processes that ended before they were done with them, oldest first.
// Those that were answered are removed, and so are those that only went on toward a goal; one whose turn
// ended with the process three times is set aside. answered says whether a message is on record as such.
func (b *Box) Recover(answered func(Entry) (bool, error)) (pending []Entry, warnings []string, err error) {
	entries, warnings, err := b.List()
	if err != nil {
		return nil, nil, fmt.Errorf("the inbox cannot be read: %w", err)
	}
	for _, e := range entries {
		if b.Mine(e) || b.Others(e) {
			continue
		}
		done, doneErr := answered(e)
		switch e.outcome(done, doneErr) {
		case offered:
			pending = append(pending, e)
			if doneErr != nil {
				warnings = append(warnings, fmt.Sprintf("It is not known whether the message “%s” was answered: %v", text.Excerpt(e.Text, 60), doneErr))
			}
		case removed:
			err = errors.Join(err, b.Remove(e.ID))
		case setAside:
			killed := fmt.Sprintf("The message “%s” ended the program %d times", text.Excerpt(e.Text, 60), e.Deaths)
			if name, asideErr := b.SetAside(e.ID); asideErr != nil {
				warnings = append(warnings, fmt.Sprintf("%s and could not be set aside: %v", killed, asideErr))
			} else {
				warnings = append(warnings, fmt.Sprintf("%s; it was set aside as %s", killed, filepath.Join(b.root.Name(), name)))
			}
		}
	}
	return pending, warnings, err
}

// outcome is what becomes of an entry of a process that ended.
type outcome int

const (
	offered  outcome = iota // to the user
	removed                 // it needs nothing more
	setAside                // out of the way: it may be what ends the program
)

func (p *Entry) outcome(answered bool, err error) outcome {
	switch {
	case err != nil: // what was answered is not answered twice without a word
		return offered
	case answered, p.Source == event.SourceGoal && !p.ToolsRan: // the goal is paused, and goes on with another
		return removed
	case p.Deaths >= maxDeaths:
		return setAside
	}
	return offered
}

// Unfinished lists the messages that can be tried again or dropped, oldest first: those of processes
// that ended, and those of this one that it does not work on, as working says. What was answered is left
// out. It changes nothing but to set aside what cannot be parsed, which the warnings name.
func (b *Box) Unfinished(working func(id string) bool, answered func(Entry) (bool, error)) (pending []Entry, warnings []string, err error) {
	entries, warnings, err := b.List()
	if err != nil {
		return nil, warnings, fmt.Errorf("the inbox cannot be read: %w", err)
	}
	for _, e := range entries {
		if b.Mine(e) && working(e.ID) || b.Others(e) {
			continue
		}
		// A turn is over only after its message left the inbox: one that ended meanwhile is gone.
		now, err := b.Load(e.ID)
		if err != nil {
			continue
		}
		if done, err := answered(now); err == nil && done {
			continue
		}
		pending = append(pending, now)
	}
	return pending, warnings, nil
}

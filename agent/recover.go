package agent

import (
	"errors"
	"fmt"
	"path/filepath"

	"chatvault/agent/event"
	"chatvault/agent/lock"
	"chatvault/internal/text"
)

// Recover looks for messages of processes that ended before they were done with them, oldest
// first: to be offered to the user, and handed to Retry or Drop. Those that were answered are
// removed; one whose turn ended with the process three times is set aside. Questions that nobody
// answered in time are dropped. It is called once, at start; entries of a process that lives are
// left alone.
func (p *Processor) Recover() (pending []Pending, warnings []string, err error) {
	entries, warnings, err := p.inbox.List()
	if err != nil {
		return nil, nil, fmt.Errorf("the inbox cannot be read: %w", err)
	}
	for _, e := range entries {
		if e.Owner == p.owner.Name || lock.Alive(p.opt.Root, e.Owner) {
			continue
		}
		answered, answeredErr := p.answered(e)
		switch {
		case answeredErr != nil: // offered: what was answered is not answered twice without a word
			warnings = append(warnings, fmt.Sprintf("It is not known whether the message “%s” was answered: %v", text.Excerpt(e.Text, 60), answeredErr))
			pending = append(pending, e)
		case answered:
			err = errors.Join(err, p.inbox.Remove(e.ID))
		case e.Source == event.SourceGoal && !e.ToolsRan: // the goal is paused, and goes on with another
			err = errors.Join(err, p.inbox.Remove(e.ID))
		case e.Deaths >= maxDeaths:
			name, asideErr := p.inbox.SetAside(e.ID)
			if asideErr != nil {
				warnings = append(warnings, fmt.Sprintf("The message “%s” ended the program %d times and could not be set aside: %v", text.Excerpt(e.Text, 60), e.Deaths, asideErr))
				continue
			}
			warnings = append(warnings, fmt.Sprintf("The message “%s” ended the program %d times; it was set aside as %s", text.Excerpt(e.Text, 60), e.Deaths, filepath.Join(p.opt.Root.Name(), name)))
		default:
			pending = append(pending, e)
		}
	}
	lock.Sweep(p.opt.Root)
	if staleErr := p.dropStale(p.opt.StateTimeout); staleErr != nil {
		warnings = append(warnings, fmt.Sprintf("It could not be found out whether a question is still open: %v", staleErr))
	}
	return pending, warnings, err
}

// answered says whether a message is on record as answered: the process ended before it
// cleaned up, and the conversation may have ended since.
func (p *Processor) answered(e Pending) (bool, error) {
	if e.LastTried.IsZero() {
		return false, nil
	}
	return p.opt.Conversations.Answered(e.ID, e.LastTried)
}

// Retry takes an unfinished message up again, as a turn of its own.
func (p *Processor) Retry(id string) error {
	p.accepting.Lock()
	defer p.accepting.Unlock()
	if p.knows(id) {
		return nil
	}
	e, err := p.inbox.claim(id, p.owner.Name)
	if err != nil {
		return err
	}
	e.retried = true
	return p.enqueue(e)
}

// Drop removes an unfinished message for good.
func (p *Processor) Drop(id string) error {
	p.accepting.Lock()
	defer p.accepting.Unlock()
	if p.knows(id) {
		return fmt.Errorf("message %s is being worked on", id)
	}
	return p.inbox.drop(id, p.owner.Name)
}

package agent

import (
	"errors"
	"fmt"
	"io/fs"
)

// Recover looks for messages of processes that ended before they were done with them, oldest
// first: to be offered to the user, and handed to Retry or Drop. Those that were answered are
// removed; one whose turn ended with the process three times is set aside. It is called once,
// at start; entries of a process that lives are left alone.
func (p *Processor) Recover() (pending []Pending, warnings []string, err error) {
	entries, warnings, err := p.inbox.List()
	if err != nil {
		return nil, nil, fmt.Errorf("the inbox cannot be read: %w", err)
	}
	conv, err := p.opt.Conversations.Active()
	if err != nil {
		return nil, warnings, fmt.Errorf("the conversation cannot be read: %w", err)
	}
	for _, e := range entries {
		switch {
		case e.Owner == p.owner.name || ownerAlive(p.opt.Root, e.Owner):
		case conv != nil && conv.Has(e.ID):
			err = errors.Join(err, p.inbox.Remove(e.ID))
		case e.Attempts >= maxAttempts && e.LastError == "":
			name, asideErr := p.inbox.SetAside(e.ID)
			if asideErr != nil {
				warnings = append(warnings, fmt.Sprintf("The message “%s” ended the program %d times and could not be set aside: %v", excerpt(e.Text, 60), e.Attempts, asideErr))
				continue
			}
			warnings = append(warnings, fmt.Sprintf("The message “%s” ended the program %d times; it was set aside as .smarthole/%s", excerpt(e.Text, 60), e.Attempts, name))
		default:
			pending = append(pending, e)
		}
	}
	return pending, warnings, err
}

// Retry takes an unfinished message up again, as a turn of its own.
func (p *Processor) Retry(id string) error {
	if p.knows(id) {
		return nil
	}
	e, err := p.inbox.Load(id)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no message %s in the inbox", id)
	}
	if err != nil {
		return err
	}
	if e.Owner != p.owner.name && ownerAlive(p.opt.Root, e.Owner) {
		return fmt.Errorf("message %s belongs to another chatvault that is running", id)
	}
	e.Owner = p.owner.name
	if e.Attempts == 0 {
		e.Attempts = 1 // it stands alone: what is retried is never merged
	}
	if err := p.inbox.Save(e); err != nil {
		return err
	}
	return p.enqueue(e)
}

// Drop removes an unfinished message for good.
func (p *Processor) Drop(id string) error {
	if p.knows(id) {
		return fmt.Errorf("message %s is being worked on", id)
	}
	return p.inbox.Remove(id)
}

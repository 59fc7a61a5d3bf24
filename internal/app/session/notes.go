package session

import (
	"context"
	"slices"
	"strings"
	"sync"

	"chatvault/agent/event"
	"chatvault/internal/app/ranked"
	"chatvault/internal/app/session/home"
	"chatvault/internal/app/slash"
	"chatvault/internal/base/text"
	"chatvault/internal/base/trust"
	"chatvault/tools"
	"chatvault/vault"
	"chatvault/vault/query"
	"chatvault/vault/walk"
)

// Notes is an open vault for the agents of other programs. It has no model, no conversation and no inbox, and opens
// no socket.
type Notes struct {
	Changes *Changes

	s        *Session
	registry *tools.Registry
	approval event.Approval
	index    sync.Once
	changing chan struct{} // semaphore of calls that change the vault
}

// OpenNotes opens a vault for the agents of other programs.
func OpenNotes(ctx context.Context, o Options) (*Notes, error) {
	v, err := OpenVault(o.Config, o.Dir)
	if err != nil {
		return nil, err
	}
	s := &Session{vault: v, config: o.Config, warnings: &warnings{texts: o.Config.Warnings}}
	s.onClose(func() { _ = v.Close() })
	if err := s.openFolders(o); err != nil {
		s.Close()
		return nil, err
	}
	s.warnUnused("mcp")
	limits := ToolLimits(o.Config)
	s.finder = ranked.NewFinder(v, true, o.Config.SaveChats.V)
	s.onClose(s.finder.Close)
	limits.Finder = s.finder
	n := &Notes{
		Changes: &Changes{vault: v, state: s.state, log: s.Log()},
		s:       s, registry: tools.NewRegistry(v, limits), approval: event.Approval(o.Config.Approval.V), changing: make(chan struct{}, 1),
	}
	home.Recover(ctx, v, s.warnings.add)
	return n, nil
}

// Close releases all resources.
func (n *Notes) Close() { n.s.Close() }

// Vault returns the vault's name.
func (n *Notes) Vault() string { return n.s.vault.Name() }

// Warnings returns the warnings collected since the last call, a line each.
func (n *Notes) Warnings() []string { return n.s.warnings.take() }

// Stay indexes the vault in memory from the first call on, for a process that answers more than once.
func (n *Notes) Stay() { n.index.Do(n.s.KeepIndex) }

// Settle waits until earlier changes on disk are known, if the vault is indexed, or until ctx ends.
func (n *Notes) Settle(ctx context.Context) { _ = n.s.vault.Index.Settle(ctx) }

// Watch calls tell with the actual paths of changed files and folders, until Close. Changes by other programs are
// reported after Stay was called. tell must not wait for the vault. Watch must be called first.
func (n *Notes) Watch(tell func(paths []string)) { n.s.vault.Index.Watch(tell) }

// Tags returns the tags in notes without "#", most used first.
func (n *Notes) Tags(ctx context.Context) ([]string, error) {
	found, err := n.s.vault.Query.Tags(ctx, query.Scope{})
	if err != nil {
		return nil, err
	}
	return text.Of(found.Tags, func(t query.TagCount) string { return t.Name }), nil
}

// Files returns the paths of files, newest first, without what Obsidian's settings exclude.
func (n *Notes) Files(ctx context.Context) ([]string, error) {
	found, err := (attaching{vault: n.s.vault}).Files(ctx)
	var paths []string
	for _, f := range found {
		if !f.Folder {
			paths = append(paths, f.Path)
		}
	}
	return paths, err
}

// Commands returns the commands that the vault defines and its owner agreed to.
func (n *Notes) Commands() ([]slash.Command, error) {
	answers, err := trust.Load(n.s.state) // the current answers
	if err != nil {
		return nil, err
	}
	custom, err := CustomOf(n.s.own, answers)
	return custom.own, err
}

// Instructions returns the owner's instructions for agents and their file. Both are empty if there are none with
// consent.
func (n *Notes) Instructions() (file, text string) { return n.s.steering.instructions() }

// Find resolves a path as tools do.
func (n *Notes) Find(ctx context.Context, path string) (vault.Info, error) {
	return n.s.vault.Stat(ctx, path)
}

// Read reads a file as tools do.
func (n *Notes) Read(ctx context.Context, path string) (*vault.File, error) {
	return n.s.vault.Read(ctx, path)
}

// NoteFile is a note on disk.
type NoteFile = walk.Entry

// List returns up to limit notes sorted by path, starting after a path, without what Obsidian's settings exclude.
func (n *Notes) List(ctx context.Context, after string, limit int) (notes []NoteFile, more bool, err error) {
	excluded := n.s.vault.Source().IgnoredFiles()
	for e, err := range n.s.vault.Source().Notes(ctx) {
		if err != nil {
			return nil, false, err
		}
		if e.Path > after && !excluded(e.Path) {
			notes = append(notes, e)
		}
	}
	slices.SortFunc(notes, func(a, b NoteFile) int { return strings.Compare(a.Path, b.Path) })
	if more = len(notes) > limit; more {
		notes = notes[:limit]
	}
	return notes, more, nil
}

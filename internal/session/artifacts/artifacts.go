// Package artifacts is what a person does with the artifacts of a vault's conversations: they are listed,
// looked at, and saved as files of the vault, by a change that can be undone.
package artifacts

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"chatvault/conversation"
	"chatvault/internal/artifact"
	"chatvault/internal/session/telling"
	"chatvault/tools"
	"chatvault/tools/wording"
	"chatvault/vault"
	"chatvault/vault/failure"
	"chatvault/vault/journal"
)

// Artifact is one as a list shows it.
type Artifact struct {
	artifact.Entry
	Conversation string // what the one is called that brought it; empty: it was stopped before it was kept
}

// Shelf is the artifacts of a vault.
type Shelf struct {
	Vault   *vault.Vault
	Manager *conversation.Manager
	Ended   func(turn string) // is told of a turn of the journal that ended
	Warn    func(text string)

	settle sync.Once
}

// Artifacts are those of all conversations, newest first.
func (s *Shelf) Artifacts(context.Context) ([]Artifact, error) {
	all, err := s.Manager.Artifacts().All()
	if err != nil || len(all) == 0 {
		return nil, err
	}
	conversations, err := s.Manager.List()
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, c := range conversations {
		names[c.ID] = c.Name()
	}
	var out []Artifact
	for _, e := range all {
		if !e.Input {
			out = append(out, Artifact{e, names[e.Owner]})
		}
	}
	return out, nil
}

// ArtifactsCommand is /artifacts where it is printed: the list, or with "save N" the one of that number
// saved into the vault.
func (s *Shelf) ArtifactsCommand(ctx context.Context, words string) (said string, err error) {
	list, err := s.Artifacts(ctx)
	if err != nil || len(list) == 0 {
		return "There are no artifacts yet: pictures, files and tables that tools and answers bring.", err
	}
	if verb, number, _ := strings.Cut(words, " "); verb == "save" {
		n, _ := strconv.Atoi(strings.TrimSpace(number)) // 0 where it is none
		if n < 1 || n > len(list) {
			return fmt.Sprintf("Say which: /artifacts save and a number from 1 to %d", len(list)), nil
		}
		path, err := s.SaveArtifact(ctx, list[n-1].Hash, list[n-1].Name)
		return "Saved as " + path + ". /undo removes it again.", err
	}
	var b strings.Builder
	for i, a := range list {
		fmt.Fprintf(&b, "%d. %s (%s, %s, %s", i+1, a.Name, a.MediaType, wording.SizeText(a.Size), a.Time.Local().Format(telling.WhenLayout))
		if a.Reason != "" {
			b.WriteString(", not kept: " + a.Reason)
		}
		b.WriteString(")\n")
	}
	return b.String() + "/artifacts save N saves one into the vault.", nil
}

// ArtifactBytes are what one is.
func (s *Shelf) ArtifactBytes(hash string) ([]byte, error) {
	data, err := s.Manager.Artifacts().Read(hash)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("its bytes are not there any more")
	}
	return data, err
}

// maxTaken bounds how many names are tried for a file.
const maxTaken = 1000

// SaveArtifact writes one into the vault, where Obsidian puts attachments, or new notes where it is one,
// under a name that is free. It is a turn of its own in the journal.
func (s *Shelf) SaveArtifact(ctx context.Context, hash, name string) (saved string, err error) {
	data, err := s.ArtifactBytes(hash)
	if err != nil {
		return "", err
	}
	a, err := artifact.Describe(name, data) // a name that was typed, or read, may be any
	if err != nil {
		return "", err
	}
	name = a.Name
	turn := journal.NewID(time.Now())
	ctx = tools.WithRequest(ctx, tools.Request{Turn: turn, Source: "chat", Title: "Save the artifact " + name})
	defer s.Ended(turn)
	folder := s.Vault.AttachmentFolder()
	if strings.EqualFold(path.Ext(name), ".md") {
		folder = s.Vault.NewNoteFolder()
	}
	stem, ending := strings.TrimSuffix(name, path.Ext(name)), path.Ext(name)
	for n := range maxTaken {
		if n > 0 {
			name = fmt.Sprintf("%s %d%s", stem, n, ending)
		}
		c, err := s.Vault.Do(ctx, vault.Request{Op: vault.OpWrite, Path: path.Join(folder, name), Data: data, New: true}, nil)
		if !errors.Is(err, failure.KindExists) {
			return c.Path, err
		}
	}
	return "", fmt.Errorf("a thousand files are called %q already", stem+ending)
}

// SettleArtifacts settles what processes left that ended while they stored something, once, and warns of it.
func (s *Shelf) SettleArtifacts() {
	s.settle.Do(func() {
		settled, err := s.Manager.Artifacts().Recover(s.there())
		if err != nil {
			s.Warn("The artifacts of conversations were not looked through: " + err.Error())
		}
		for _, e := range settled {
			text := fmt.Sprintf("The artifact %s was being stored when chatvault ended: ", e.Name)
			if e.State == artifact.Ready {
				s.Warn(text + "it is there; /artifacts lists it.")
			} else {
				s.Warn(text + "it is lost. Ask for it again.")
			}
		}
	})
}

// there says whether there is a conversation of an id; where that is not known there is.
func (s *Shelf) there() func(id string) bool {
	list, err := s.Manager.List()
	ids := map[string]bool{}
	for _, c := range list {
		ids[c.ID] = true
	}
	return func(id string) bool { return err != nil || ids[id] }
}

package tui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"chatvault/agent/event"
	"chatvault/internal/artifact"
	"chatvault/internal/session/artifacts"
)

// fakeKept are artifacts whose bytes are by their hash.
type fakeKept struct {
	kept  []artifacts.Artifact
	bytes map[string]string
	saved []string
	fails error
}

func (f *fakeKept) Artifacts(context.Context) ([]artifacts.Artifact, error) { return f.kept, f.fails }

func (f *fakeKept) ArtifactBytes(hash string) ([]byte, error) {
	data, ok := f.bytes[hash]
	if !ok {
		return nil, errors.New("its bytes are not there any more")
	}
	return []byte(data), nil
}

func (f *fakeKept) SaveArtifact(_ context.Context, hash, name string) (string, error) {
	f.saved = append(f.saved, hash+" "+name)
	return "Files/" + name, f.fails
}

func TestArtifactsAreListedShownAndSaved(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 9, 14, 0, 0, time.UTC)
	kept := func(hash, name, kind string, size int64) artifacts.Artifact {
		return artifacts.Artifact{Conversation: "The trees", Entry: artifact.Entry{Time: at, State: artifact.Ready, Artifact: artifact.Artifact{Hash: hash, Name: name, MediaType: kind, Size: size}}}
	}
	lost := kept("h3", "lost.png", "image/png", 7)
	lost.State, lost.Reason = artifact.Failed, "the disk is full"
	var w *fakeKept
	s := newScreen(t, func(o *Options) {
		w = &conversationOf(o).fakeKept
		w.kept = []artifacts.Artifact{kept("h1", "chart.png", "image/png", 12_345), kept("h2", "Trees.md", "text/plain", 20), lost}
		w.bytes = map[string]string{"h1": "\x89PNG\x00", "h2": "| Oak | 3 |\x1b[2J"}
	})
	s.command("/artifacts")
	s.wants("Artifacts", "chart.png", "image/png · 12.1 KB · Nov 20, 9:14 AM", "The trees", "Trees.md", "not kept: the disk is full")
	s.key("down", "enter")
	s.wants("| Oak | 3 |", "› Save it into the vault")
	s.lacks("\x1b[2J")
	s.key("esc")
	s.key("up", "enter")
	s.wants("It is not text, so it is not shown here")
	s.key("enter")
	s.wants("Saved as Files/chart.png · /undo removes it again")
	s.lacks("› Save it")
	if !slices.Equal(w.saved, []string{"h1 chart.png"}) {
		t.Errorf("saved %q", w.saved)
	}
	s.command("/artifacts")
	s.key("down", "down", "enter")
	s.wants("lost.png cannot be shown: its bytes are not there any more")
	s.key("esc")
	w.fails = errors.New("it is read-only")
	s.command("/artifacts")
	s.wants("The artifacts could not be read: it is read-only")
}

func TestArtifactsAreToldOf(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	for i, state := range []artifact.State{artifact.Created, artifact.Ready, artifact.Created, artifact.Failed} {
		s.deliver(event.ArtifactChanged{Artifact: artifact.Artifact{Name: fmt.Sprintf("chart%d.png", i/2), MediaType: "image/png", Size: 2048}, State: state, Reason: "the disk is full"})
	}
	s.wants("Artifact: chart0.png (image/png, 2.0 KB) · /artifacts saves it", "The artifact chart1.png was not kept: the disk is full.")
	s.lacks("Artifact: chart1.png")
}

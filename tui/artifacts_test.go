package tui

import (
	"fmt"
	"testing"

	"chatvault/agent/event"
	"chatvault/conversation/artifact"
)

func TestArtifactChangesAreShown(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	for i, state := range []artifact.State{artifact.Created, artifact.Ready, artifact.Created, artifact.Failed} {
		s.deliver(event.ArtifactChanged{Artifact: artifact.Artifact{Name: fmt.Sprintf("chart%d.png", i/2), MediaType: "image/png", Size: 2048, File: "/state/chart.png"}, State: state, Reason: "the disk is full"})
	}
	s.wants("Artifact: chart0.png (image/png, 2.0 KB) · /state/chart.png", "The artifact chart1.png was not kept: the disk is full.")
	s.lacks("Artifact: chart1.png")
}

package provider

import (
	"context"
	"errors"
	"testing"
	"time"

	"chatvault/agent/llm"
	"chatvault/agent/llm/offline"
)

// TestStopDoesNotWaitForTheSearch checks that a turn can be stopped while it waits for the search for a provider.
func TestStopDoesNotWaitForTheSearch(t *testing.T) {
	release, searching := make(chan struct{}), make(chan struct{})
	late := &Lazy{name: "expected", find: func(context.Context) (llm.Provider, error) {
		close(searching)
		<-release
		return offline.New(nil), nil
	}}
	found := make(chan error)
	go func() { _, err := late.Ready(context.Background()); found <- err }()
	<-searching
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	began := time.Now()
	for _, err := range late.Stream(ctx, llm.Request{}) {
		var e *llm.Error
		if !errors.As(err, &e) || e.Kind != llm.KindAborted {
			t.Errorf("%v", err)
		}
	}
	if d := time.Since(began); d > time.Second {
		t.Errorf("stopped after %v", d)
	}
	close(release)
	if err := <-found; err != nil || late.Name() != offline.Name {
		t.Errorf("%v, %s", err, late.Name())
	}
}

func TestReadyRetriesAfterFailure(t *testing.T) {
	tries := 0
	late := &Lazy{name: "expected", find: func(context.Context) (llm.Provider, error) {
		if tries++; tries == 1 {
			return nil, errors.New("no route")
		}
		return offline.New(nil), nil
	}}
	if _, err := late.Ready(t.Context()); err == nil || late.Name() != "expected" {
		t.Errorf("%v, %s", err, late.Name())
	}
	for range 2 {
		if p, err := late.Ready(t.Context()); err != nil || p == nil {
			t.Error(err)
		}
	}
	if tries != 2 {
		t.Errorf("sought %d times", tries)
	}
}

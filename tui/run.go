package tui

import (
	"context"
	"errors"
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"chatvault/internal/routine"
)

// killWait is how long the screen may take to end after ctx ended.
const killWait = leaveWait + 500*time.Millisecond

// Run shows the chat until the user leaves it or ctx ends. A running turn is left as it
// is: closing the processor cuts it and keeps its message. What was sent is durable
// first, or, where that takes more than two seconds, the draft. The terminal is restored on every way out. A
// fault of the program is returned as a *PanicError. Options.Events is closed.
func Run(ctx context.Context, o Options) error { return run(ctx, o, nil) }

// run is Run; started, when not nil, gets the program before it runs.
func run(ctx context.Context, o Options, started func(*tea.Program)) (err error) {
	if err := o.check(); err != nil {
		return err
	}
	inner, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	first, end := context.WithCancel(inner)
	g := &guard{ctx: inner, end: end, Model: New(first, o)}
	defer func() { g.o.Events.Close() }() // of the chat that is shown last

	// Bubble Tea's own renderer looks sixty times a second whether there is something to draw.
	options := []tea.ProgramOption{tea.WithoutSignalHandler(), tea.WithoutCatchPanics(), tea.WithoutRenderer()}
	switch {
	case o.Terminal != nil:
		if err := o.Terminal.Open(); err != nil {
			return fmt.Errorf("the terminal cannot be used: %w", err)
		}
		defer func() { err = errors.Join(err, o.Terminal.Close()) }()
		in := o.Terminal.Input()
		options = append(options, tea.WithInput(in))
		if in, ok := in.(longPastes); ok {
			options = append(options, tea.WithFilter(wholePastes(in)))
		}
	case o.Input != nil:
		options = append(options, tea.WithInput(o.Input))
	}

	if o.Attention != nil {
		o.Attention.Begin()
		defer o.Attention.End()
	}

	g.takeScreen()
	defer g.leaveScreen()

	p := tea.NewProgram(g, options...)
	g.wake = p.Quit
	if started != nil {
		started(p)
	}
	ended := make(chan struct{})
	watchSize(p, g.screen, ended)
	watched := make(chan struct{})
	routine.Go("screen leave", func() {
		defer close(watched)
		leaveWith(ctx, p, ended)
	})
	_, err = p.Run()
	close(ended)
	cancel()
	<-watched
	if g.fault != nil {
		return g.fault
	}
	if errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil {
		return nil // asked to end; the screen took too long to do it itself
	}
	return err
}

// leaveWith ends the program when ctx ends: by its own way, else by force.
func leaveWith(ctx context.Context, p *tea.Program, ended <-chan struct{}) {
	select {
	case <-ended:
		return
	case <-ctx.Done():
	}
	sent := make(chan struct{})
	routine.Go("screen leave message", func() {
		defer close(sent)
		p.Send(leaveMsg{})
	})
	t := time.NewTimer(killWait)
	defer t.Stop()
	select {
	case <-ended:
	case <-t.C:
		p.Kill()
		<-ended
	}
	<-sent
}

package session

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"chatvault/internal/app/session/export"
	"chatvault/internal/base/text"
	"chatvault/vault"
)

// SinceTime parses a time in the past: "14:00", which is the last time that the clock showed it, "2026-11-29",
// "2026-11-29 14:00", "today", "yesterday", "90m", "2h", "3d".
func SinceTime(given string, now time.Time) (time.Time, error) {
	const clock = time.DateOnly + " 15:04"
	s := strings.ToLower(strings.TrimSpace(given))
	today := now.Format(time.DateOnly)
	if days, err := strconv.Atoi(strings.TrimSuffix(s, "d")); err == nil && strings.HasSuffix(s, "d") {
		return now.AddDate(0, 0, -days), nil
	}
	if d, err := time.ParseDuration(s); err == nil {
		return now.Add(-d), nil
	}
	s = strings.NewReplacer("today", today, "yesterday", now.AddDate(0, 0, -1).Format(time.DateOnly)).Replace(s)
	for _, layout := range []string{time.DateOnly, clock} {
		if at, err := time.ParseInLocation(layout, s, now.Location()); err == nil {
			return at, nil
		}
	}
	at, err := time.ParseInLocation(clock, today+" "+s, now.Location())
	if err != nil {
		return at, fmt.Errorf("“%s” is not a time: give 14:00, 2026-11-29 14:00, yesterday, 2h or 3d", text.Excerpt(given, 40))
	}
	if at.After(now) {
		at = at.AddDate(0, 0, -1)
	}
	return at, nil
}

// Since returns the turns with changes since a time that can be undone, newest first.
func (ch *Changes) Since(ctx context.Context, from time.Time) ([]ChangedTurn, error) {
	turns, err := ch.vault.History.Turns(ctx, 0)
	return ChangedTurns(vault.Since(turns, from)), err
}

// UndoSince undoes everything that was changed since a time, and records it for the agent.
func (ch *Changes) UndoSince(ctx context.Context, from time.Time) (all Undone, err error) {
	turns, err := ch.vault.History.UndoSince(ctx, from)
	for _, t := range turns {
		u := ch.undone(t, false)
		all.Lines, all.Left = append(all.Lines, u.Lines...), append(all.Left, u.Left...)
	}
	all.Title = sinceTitle(len(turns), from)
	return all, err
}

func sinceTitle(turns int, from time.Time) string {
	return fmt.Sprintf("%s since %s", text.Count(turns, "turn"), from.Local().Format(export.WhenLayout))
}

// UndoSince returns the action that undoes everything that was changed since a time. Its consent shows it.
func UndoSince(ctx context.Context, log ChangeLog, from time.Time) (Action, error) {
	turns, err := log.Since(ctx, from)
	if err == nil && len(turns) == 0 {
		err = errors.New("nothing that can be undone was changed since " + from.Local().Format(export.WhenLayout))
	}
	return Action{
		Verb: "rewind", Label: "Undo it and what came after… (a)", Key: "a", Effect: EffectUndo,
		Consent: &Consent{
			Title: "Undo " + sinceTitle(len(turns), from) + "?", About: "Anything changed since is kept and listed. /redo restores one turn at a time.",
			Yes: "Undo them", No: "Keep them", Items: SinceLines(turns), Cost: sinceTitle(len(turns), from) + " would be undone",
		},
		Do: func(ctx context.Context, _ string) (Done, error) {
			u, err := log.UndoSince(ctx, from)
			return Done{Undone: u}, err
		},
	}, err
}

// SinceLines describes what undoing turns does, a line each.
func SinceLines(turns []ChangedTurn) []string {
	return text.Of(turns, func(t ChangedTurn) string {
		return fmt.Sprintf("%s “%s”: %s", t.Time.Format("15:04"), text.Excerpt(t.Name(), 60), text.First(t.Back, maxDid))
	})
}

package printed

import (
	"context"
	"slices"
	"strings"

	"chatvault/internal/app/session"
	"chatvault/internal/base/text"
)

// settings lists the settings, describes one, or sets it.
func (v *Views) settings(ctx context.Context, words string) {
	list := session.ListSettings(ctx, v.Settings, false)
	key, value, _ := strings.Cut(words, " ")
	if key == "" {
		rows := text.Of(list.Warnings, func(w string) string { return "Note: " + w })
		for _, it := range list.Items {
			rows = append(rows, it.Name+": "+it.Value+" ("+it.Facts[0]+")")
		}
		v.Print(Block{Rows: rows, Foot: "/settings KEY says what a setting is for, /settings KEY VALUE sets it, /settings KEY default resets it."})
		return
	}
	i := slices.IndexFunc(list.Items, func(it session.Item) bool { return it.ID == key })
	if i < 0 {
		v.say("There is no setting " + key + "; /settings lists them.")
		return
	}
	it := list.Items[i]
	var choices []string
	if it.Do.Choices != nil {
		choices = text.Of(it.Do.Choices.Items, func(it session.Item) string { return it.Name })
	}
	value = strings.TrimSpace(value)
	if value == "" {
		said := key + ": " + it.Note + "\nIt is " + it.Value + " (" + it.Facts[0] + ")."
		if choices != nil {
			said += " It can be " + strings.Join(choices, ", ") + "."
		}
		v.say(said)
		return
	}
	do := it.Do
	if value == "default" && !slices.Contains(choices, value) {
		do, value = it.Reset, ""
	}
	if do.Not != "" {
		v.say("Not changed: " + do.Not + ".")
		return
	}
	done, err := do.Do(ctx, value)
	if err != nil {
		v.say("Not changed: " + key + " " + strings.TrimPrefix(err.Error(), key+" "))
		return
	}
	v.say(done.Said + ".")
}

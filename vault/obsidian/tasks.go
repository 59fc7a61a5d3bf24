package obsidian

import (
	"slices"
	"unicode/utf8"

	"chatvault/vault/note"
)

// tasksPlugin is the ID of the Tasks plugin.
const tasksPlugin = "obsidian-tasks-plugin"

// Tasks returns what happens to ticked tasks by the settings of the Tasks plugin, or of Dataview. known is false if
// neither plugin is set to date them.
func (v App) Tasks() (r note.TaskRules, known bool) {
	var enabled []string
	v.read("community-plugins.json", &enabled)
	set := struct {
		*note.TaskRules
		Statuses struct {
			Core   []status `json:"coreStatuses"`
			Custom []status `json:"customStatuses"`
		} `json:"statusSettings"`
	}{TaskRules: &note.TaskRules{Format: "tasksPluginEmoji", DoneDate: true, CancelledDate: true}}
	if !v.read("plugins/"+tasksPlugin+"/data.json", &set) && !slices.Contains(enabled, tasksPlugin) {
		var dataview struct {
			Dates  bool `json:"taskCompletionTracking"`
			Emojis bool `json:"taskCompletionUseEmojiShorthand"`
		}
		r.DoneDate = v.read("plugins/dataview/data.json", &dataview) && dataview.Dates
		if r.DoneDate && !dataview.Emojis {
			r.Format = "dataview"
		}
		return r, r.DoneDate
	}
	r = *set.TaskRules
	r.Statuses = note.Statuses{}
	for _, s := range slices.Concat(set.Statuses.Core, set.Statuses.Custom) {
		mark, _ := utf8.DecodeRuneInString(s.Symbol)
		next, _ := utf8.DecodeRuneInString(s.Next)
		r.Statuses[mark] = note.Status{Type: s.Type, Next: next}
	}
	return r, true
}

// status is the meaning of a mark in the plugin's settings.
type status struct {
	Symbol string `json:"symbol"`
	Next   string `json:"nextStatusSymbol"`
	Type   string `json:"type"`
}

package obsidian

import (
	"slices"

	"chatvault/vault/note"
)

// tasksPlugin is the ID of the Tasks plugin.
const tasksPlugin = "obsidian-tasks-plugin"

// Tasks returns what happens to ticked tasks by the settings of the Tasks plugin, or of Dataview. known is false if
// neither plugin is set to date them.
func (v App) Tasks() (r note.TaskRules, known bool) {
	var enabled []string
	v.read("community-plugins.json", &enabled)
	r = note.TaskRules{Format: "tasksPluginEmoji", DoneDate: true, CancelledDate: true}
	if v.read("plugins/"+tasksPlugin+"/data.json", &r) || slices.Contains(enabled, tasksPlugin) {
		return r, true
	}
	var dataview struct {
		Dates  bool `json:"taskCompletionTracking"`
		Emojis bool `json:"taskCompletionUseEmojiShorthand"`
	}
	v.read("plugins/dataview/data.json", &dataview)
	r = note.TaskRules{DoneDate: dataview.Dates}
	if dataview.Dates && !dataview.Emojis {
		r.Format = "dataview"
	}
	return r, dataview.Dates
}

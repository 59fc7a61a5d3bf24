package obsidian

import (
	"slices"

	"chatvault/vault/note"
)

// tasksPlugin is the ID of the Tasks plugin.
const tasksPlugin = "obsidian-tasks-plugin"

// Tasks returns what happens to ticked tasks by the settings of the Tasks plugin. known is false without it.
func (v App) Tasks() (r note.TaskRules, known bool) {
	var enabled []string
	v.read("community-plugins.json", &enabled)
	rules := note.TaskRules{Format: "tasksPluginEmoji", DoneDate: true, CancelledDate: true}
	if v.read("plugins/"+tasksPlugin+"/data.json", &rules) || slices.Contains(enabled, tasksPlugin) {
		return rules, true
	}
	return r, false
}

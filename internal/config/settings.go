package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// SettingKind is how a setting is edited.
type SettingKind string

// The kinds of settings.
const (
	KindSwitch SettingKind = "switch" // true or false
	KindChoice SettingKind = "choice" // one of Setting.Choices
	KindNumber SettingKind = "number"
	KindAmount SettingKind = "amount" // of dollars
	KindText   SettingKind = "text"   // of one line
	KindProse  SettingKind = "prose"  // of many
	KindList   SettingKind = "list"   // with commas between
	KindFixed  SettingKind = "fixed"  // a secret or a table: it is edited in the file
)

// Setting is a key of the configuration for a person who looks at it and changes it.
type Setting struct {
	Key, Group string
	About      string // what it is, in a sentence without its full stop
	Kind       SettingKind
	Choices    []string // KindChoice
	Means      []string // of each of Choices what it does; nil: they say it themselves
	Value      string   // as it would be typed; never a secret
	Shown      string   // on one line; empty: not set
	Origin     Origin
	Default    string // as it would be typed
	InVault    bool   // the file of a vault may set it
	AtOnce     bool   // a change counts at once; else from the next start
	Until      string // what is so until then, where that may be taken for otherwise
}

// described is what is known of a key beside its field.
type described struct {
	key, group, about string
	kind              SettingKind
	choices, means    []string
	atOnce            bool
	until             string
}

// The groups, in their order.
const (
	groupVault         = "Vault"
	groupModel         = "Model"
	groupAgent         = "Agent"
	groupBudget        = "Spending"
	groupConversations = "Conversations"
	groupScreen        = "Screen"
	groupRouting       = "SmartHole"
	groupTables        = "Tables"
	groupOther         = "Other"
)

// descriptions are the keys in the order in which they are shown.
var descriptions = []described{
	{
		key: "theme", group: groupScreen, about: "The colours; /theme shows them", kind: KindChoice, atOnce: true,
		choices: []string{ThemeAuto, ThemeDark, ThemeLight, ThemeWarm, ThemePaper, ThemeContrast, ThemeContrastLight, ThemeNone},
	},
	{key: "mouse", group: groupScreen, about: "Wheel and clicks; off, the terminal selects text itself", kind: KindSwitch, atOnce: true},
	{
		key: "notify", group: groupScreen, about: "How you are called back when you look elsewhere", kind: KindChoice, atOnce: true,
		choices: []string{NotifyAuto, NotifyBell, NotifyOSC9, NotifyOff},
		means:   []string{"a notification where the terminal is known to show one, else the bell", "the bell", "a notification (OSC 9)", "not at all"},
	},
	{key: "alt_screen", group: groupScreen, about: "The whole screen, given back on leaving", kind: KindSwitch},
	{key: "accessible", group: groupScreen, about: "Plain lines instead of a screen, for screen readers", kind: KindSwitch},
	{
		key: "hyperlinks", group: groupScreen, about: "Links to notes, for terminals that have them", kind: KindChoice, atOnce: true,
		choices: []string{HyperlinksAuto, HyperlinksOn, HyperlinksOff},
	},
	{
		key: "clipboard", group: groupScreen, about: "By what the chat copies", kind: KindChoice, atOnce: true,
		choices: []string{ClipboardAuto, ClipboardOSC52, ClipboardNative, ClipboardFile},
		means:   []string{"what works here", "the terminal alone", "a program of the system alone", "a file alone"},
	},

	{key: "model", group: groupModel, about: "A model's name, or provider/model; /model chooses one for this vault", kind: KindText},
	{key: "base_url", group: groupModel, about: "An endpoint that speaks the OpenAI protocol", kind: KindText},
	{key: "api_key_env", group: groupModel, about: "The environment variable that holds the key", kind: KindText},
	{key: "api_key", group: groupModel, about: "The key itself; better typed with /model, which keeps it out of the file", kind: KindFixed},
	{key: "api_key_command", group: groupModel, about: "A command that prints the key", kind: KindFixed},
	{key: "offline", group: groupModel, about: "The offline engine alone, and no connection at all", kind: KindSwitch},
	{key: "allow_insecure", group: groupModel, about: "Allow http:// to other machines: notes and key travel unencrypted", kind: KindSwitch},
	{key: "fallback", group: groupModel, about: "provider/model to try, in order, when the model fails for good", kind: KindList},
	{key: "subagent_model", group: groupModel, about: "provider/model for sub-agents; empty: the chat's own", kind: KindText},
	{key: "context_window", group: groupModel, about: "Tokens that the model takes in one call; 0: found out", kind: KindNumber},
	{key: "first_byte_timeout_seconds", group: groupModel, about: "How long a provider may take to begin its answer", kind: KindNumber},
	{key: "stall_timeout_seconds", group: groupModel, about: "How long a provider may pause within one", kind: KindNumber},

	{
		key: "approval", group: groupAgent, about: "What waits for your consent: nothing, destructive changes, every change", kind: KindChoice,
		choices: []string{string(ApprovalOff), string(ApprovalDestructive), string(ApprovalWrites)},
		means:   []string{"nothing waits; /undo takes back", "deleting, moving folders, writing over, large removals", "every change"},
	},
	{
		key: privateKey, group: groupAgent, about: "Globs of notes that the agent may not see", kind: KindList,
		until: "the agent of this chat still sees what it hides until you quit and start again",
	},
	{key: "user_name", group: groupAgent, about: "What the agent calls you; empty: your name on this machine", kind: KindText},
	{key: "information_architecture", group: groupAgent, about: "Where things belong in your vault", kind: KindProse},
	{key: "max_tool_iterations", group: groupAgent, about: "Rounds of tool calls in a turn", kind: KindNumber},
	{key: "goal_max_turns", group: groupAgent, about: "Turns toward a goal before it is paused", kind: KindNumber},
	{key: "read_max_lines", group: groupAgent, about: "Lines of a note that are read at once", kind: KindNumber},
	{key: "read_max_bytes", group: groupAgent, about: "Bytes of a note that are read at once", kind: KindNumber},

	{key: "budget_tokens", group: groupBudget, about: "The most tokens a turn may use; 0: no limit", kind: KindNumber},
	{key: "budget_usd", group: groupBudget, about: "The most dollars a turn may cost, for models with a price; 0: no limit", kind: KindAmount},

	{key: "conversation_idle_timeout_minutes", group: groupConversations, about: "Minutes after which a message begins a new conversation", kind: KindNumber},
	{key: "max_conversations_retained", group: groupConversations, about: "Ended conversations that are kept", kind: KindNumber},
	{key: "conversation_state_timeout_minutes", group: groupConversations, about: "Minutes that a question of the agent waits for its answer", kind: KindNumber},
	{key: "enable_conversation_retrospection", group: groupConversations, about: "The model looks back at each conversation that ended", kind: KindSwitch},
	{key: "retrospection_prompt", group: groupConversations, about: "What it is asked then", kind: KindProse},

	{key: "vault", group: groupVault, about: "The vault that opens where none is named or found", kind: KindText},
	{key: "journal_days", group: groupVault, about: "Days that a change can be taken back", kind: KindNumber},
	{key: "journal_megabytes", group: groupVault, about: "Megabytes that are kept for that at most", kind: KindNumber},
	{key: "index_text_megabytes", group: groupVault, about: "Megabytes of notes that the chat keeps in memory for searches", kind: KindNumber},

	{key: "smarthole.enabled", group: groupRouting, about: "Take messages that SmartHole routes here", kind: KindSwitch},
	{key: "smarthole.url", group: groupRouting, about: "Where SmartHole listens; empty: where it does by default", kind: KindText},
	{key: "smarthole.name", group: groupRouting, about: "What this program is called there", kind: KindText},
	{key: "smarthole.description", group: groupRouting, about: "What should be routed here", kind: KindText},
}

func describedOf(key string) described {
	for _, d := range descriptions {
		if d.key == key {
			return d
		}
	}
	return described{key: key, group: groupOther, kind: KindText}
}

// Settings are all keys, by group, and after them what is edited in the file alone.
func (c *Config) Settings() []Setting {
	defaults := Defaults()
	var list []Setting
	add := func(d described) {
		f, known := fieldOf(d.key)
		if !known {
			return
		}
		s := Setting{
			Key: d.key, Group: d.group, About: d.about, Kind: d.kind, Choices: d.choices, Means: d.means, AtOnce: d.atOnce, Until: d.until,
			InVault: f.vault != never && forbidden(d.key) == "",
		}
		s.Value, s.Origin = f.show(c)
		s.Default, _ = f.show(defaults)
		switch {
		case d.key == "model" && c.ChosenCounts():
			s.Value, s.Origin = c.Chosen.V, c.Chosen.Origin
		case d.key == privateKey:
			s.Value, s.Origin = c.privateText()
		case d.kind == KindNumber && s.Value == "":
			s.Value, s.Default = "0", "0"
		case d.kind == KindAmount && s.Value == "":
			s.Value, s.Default = "0", "0"
		}
		if d.key == "api_key_env" && s.Value != "" { // "from the variable NAME"
			s.Value = c.APIKey.Variable()
		}
		s.Shown = oneLine(s.Value)
		if d.kind == KindFixed {
			s.Value = ""
		}
		list = append(list, s)
	}
	for _, d := range descriptions {
		add(d)
	}
	for _, f := range fields {
		if d := describedOf(f.key); d.group == groupOther {
			add(d)
		}
	}
	for _, t := range []struct {
		key, about string
		any        bool
	}{
		{"providers", "Endpoints of your own, a table each in the file", len(c.Providers) > 0},
		{"keys", "Keys of the chat, by action, in the file; chatvault config keys lists them", len(c.Keys) > 0},
		{"prices", "What models cost, for /cost and budget_usd, a table each in the file", len(c.Prices) > 0},
	} {
		if !t.any {
			list = append(list, Setting{Key: t.key, Group: groupTables, About: t.about, Kind: KindFixed})
		}
	}
	for _, l := range c.describeTables() {
		list = append(list, Setting{Key: l.Key, Group: groupTables, About: "Edited in the file", Kind: KindFixed, Shown: l.Value, Origin: l.at})
	}
	return list
}

// privateText are the globs of all files, and where the last came from.
func (c *Config) privateText() (string, Origin) {
	if len(c.Private) == 0 {
		return "", Origin{}
	}
	return strings.Join(c.PrivateGlobs(), ", "), c.Private[len(c.Private)-1].Origin
}

// tableLine is a line of what the tables hold.
type tableLine struct {
	Key, Value string
	at         Origin
}

func (c *Config) describeTables() []tableLine {
	var lines []tableLine
	for _, name := range sortedKeys(c.Providers) {
		p := c.Providers[name]
		parts := []string{}
		for _, part := range []string{p.BaseURL, p.Model} {
			if part != "" {
				parts = append(parts, part)
			}
		}
		if p.Key.Configured() {
			parts = append(parts, "key "+p.Key.String())
		}
		lines = append(lines, tableLine{"providers." + name, strings.Join(parts, ", "), p.Origin})
	}
	for _, action := range sortedKeys(c.Keys) {
		k := c.Keys[action]
		lines = append(lines, tableLine{"keys." + action, strings.Join(k.V, ", "), k.Origin})
	}
	for _, model := range sortedKeys(c.Prices) {
		p := c.Prices[model]
		lines = append(lines, tableLine{"prices." + model, fmt.Sprintf("$%g in, $%g out", p.Input, p.Output), p.Origin})
	}
	return lines
}

// literal is a value that was typed, as it is written into a file. Its error completes "KEY: …"
// and is the one that the file would give.
func literal(key, typed, eol string) (string, error) {
	f, ok := fieldOf(key)
	if !ok {
		return "", fmt.Errorf("unknown key")
	}
	d := describedOf(key)
	var raw any = word(typed)
	var items []any
	if d.kind == KindList {
		items = splitList(typed)
		raw = items
	}
	if d.kind == KindFixed {
		return "", fmt.Errorf("is edited in the file")
	}
	if err := f.apply(Defaults(), raw, Origin{}); err != nil {
		return "", err
	}
	switch d.kind {
	case KindSwitch:
		on, _ := parseBool(raw)
		return strconv.FormatBool(on), nil
	case KindNumber:
		n, err := strconv.ParseInt(strings.TrimSpace(typed), 10, 64)
		return strconv.FormatInt(n, 10), err
	case KindAmount:
		amount, _ := parseAmount(raw)
		text := strconv.FormatFloat(amount, 'f', -1, 64)
		if !strings.Contains(text, ".") {
			text += ".0"
		}
		return text, nil
	case KindChoice:
		return quoteLine(strings.ToLower(strings.TrimSpace(typed))), nil
	case KindList:
		texts := make([]string, len(items))
		for i, item := range items {
			texts[i] = quoteLine(item.(string))
		}
		return "[" + strings.Join(texts, ", ") + "]", nil
	case KindProse:
		return quoteText(typed, eol), nil
	}
	return quoteLine(strings.TrimSpace(typed)), nil
}

// splitList are the entries of a list that was typed with commas between; those in braces are a
// glob's own.
func splitList(typed string) []any {
	var items []any
	depth, from := 0, 0
	take := func(to int) {
		if entry := strings.TrimSpace(typed[from:to]); entry != "" {
			items = append(items, entry)
		}
		from = to + 1
	}
	for i, r := range typed {
		switch {
		case r == '{':
			depth++
		case r == '}':
			depth = max(depth-1, 0)
		case r == ',' && depth == 0:
			take(i)
		}
	}
	if from <= len(typed) {
		take(len(typed))
	}
	return slices.Clip(items)
}

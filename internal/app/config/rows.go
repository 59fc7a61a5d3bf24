package config

import (
	"strconv"
	"strings"

	"chatvault/internal/base/terminal/attention"
)

// The groups, in the order of the template and the documentation. /settings starts with the screen (settingsOrder).
const (
	groupVault         = "Vault"
	groupModel         = "Model"
	groupAgent         = "Agent"
	groupBudget        = "Spending"
	groupConversations = "Conversations"
	groupScreen        = "Screen"
	groupRouting       = "SmartHole"
	groupTables        = "Tables"
)

// Reasons why a vault's file may not set a key.
const (
	whyKeys    = "keys do not belong in a vault"
	whySent    = "it decides where your notes are sent"
	whySpend   = "it decides what you spend"
	whyUndo    = "it decides what you can undo"
	whyVault   = "a vault chooses neither the vault nor where its state is kept"
	whyRouting = "it decides whose messages are accepted"
	whyNotes   = "it decides what is written into your notes"
)

// rowsOf returns all settings, stored in c. To add one, add its row here and its field to a struct of config.go.
// Tables and keys of tables come last, as in TOML. It is a variable so that a test can add one.
var rowsOf = func(c *Config) []row {
	return append([]row{
		{
			key: "vault", group: groupVault, env: "CHATVAULT_VAULT", why: whyVault, holds: line(&c.Vault, parseName), example: `"~/Notes"`,
			about: "The vault to open when none is named or found", more: "The working folder and those above it are searched first. --vault names another.",
		},
		{key: "journal_days", group: groupVault, why: whyUndo, holds: number(&c.JournalDays, 30, 1, 36_500), about: "Days for which a change can be undone"},
		{
			key: "journal_megabytes", group: groupVault, why: whyUndo, holds: number(&c.JournalMegabytes, 500, 1, 1_000_000),
			about: "The most megabytes kept for that", more: "They hold what was there before each change.",
		},
		{
			key: "index_text_megabytes", group: groupVault, vault: lower, holds: number(&c.IndexTextMegabytes, 64, 0, 1024),
			about: "Megabytes of notes the chat keeps in memory for searches",
			more:  "Other notes are read from disk if they may match. The filters that decide this take up to as much again. 0: none.",
		},
		{
			key: "log_level", group: groupVault, env: "CHATVAULT_LOG",
			holds: choiceOf(&c.LogLevel, LogInfo, LogError, LogWarn, LogInfo, LogDebug),
			about: "How much is written to chatvault.log, in the vault's state folder",
			more:  "debug logs each request to a model (address, model, sizes, status, duration), without keys or texts. --log-level sets it for one run.",
		},

		{
			key: "model", group: groupModel, env: "CHATVAULT_MODEL", vault: agreed, holds: model(c), example: `"openrouter/anthropic/claude-sonnet-4.5"`,
			about: "A model's name, or provider/model; /model chooses one for this vault",
			more: "With nothing set: a key in the environment decides; else a model server on this machine (Ollama, LM Studio, llama.cpp, vLLM, Jan); " +
				"else the offline engine. A vault's file may name a model, but no provider. --model names another.",
		},
		{
			key: "base_url", group: groupModel, env: "OPENAI_BASE_URL", why: whySent, holds: line(&c.BaseURL, parseURL), example: `"https://api.openai.com/v1"`,
			about: "An endpoint that speaks the OpenAI protocol",
		},
		{
			key: "api_key_env", group: groupModel, why: whyKeys, holds: secret(c, keyEnv), example: `"MY_OPENAI_KEY"`,
			about: "The environment variable that holds the key",
			more:  "Keys are never printed, logged or recorded. With this or a command, the key stays out of the file.",
		},
		{
			key: "api_key", group: groupModel, env: "OPENAI_API_KEY", why: whyKeys, holds: secret(c, keyLiteral), example: `"sk-…"`,
			about: "The key itself; better typed with /model, which keeps it out of the file",
		},
		{
			key: "api_key_command", group: groupModel, why: whyKeys, holds: secret(c, keyCommand), example: `"pass show openai"`,
			about: "A command that prints the key",
		},
		{
			key: "offline", group: groupModel, env: "CHATVAULT_OFFLINE", why: "it decides whether your notes are sent", holds: toggle(&c.Offline, false),
			about: "Use only the offline engine, and connect to nothing", more: "--offline does the same for one run.",
		},
		{
			key: "allow_insecure", group: groupModel, why: whySent, holds: toggle(&c.AllowInsecure, false),
			about: "Allow http:// to other machines: your notes and your key travel unencrypted",
			more:  "This computer (127.0.0.1, ::1, localhost) is always allowed.",
		},
		{
			key: "fallback", group: groupModel, why: whySent, example: `["openrouter/meta-llama/llama-3.3-70b-instruct", "ollama/llama3.2"]`,
			holds: scalar(KindList, &c.Fallback, nil, parseFallback, func(list []string) string { return strings.Join(list, ", ") }),
			about: "Other models to try, in order, when the model fails for good",
		},
		{
			key: "subagent_model", group: groupModel, why: whySent, holds: line(&c.SubagentModel, parseModelOrNone), example: `"groq/llama-3.1-8b-instant"`,
			about: "The model for sub-agents, as provider/model; empty: the chat's own",
		},
		{
			key: "reasoning_effort", group: groupModel, why: whySpend, holds: choiceOf(&c.Effort, DefaultEffort, append([]string{DefaultEffort}, Efforts...)...),
			about: "How much models reason before they answer; default: up to the provider",
			more: "none turns it off. A model that lacks the level gets its nearest one; /effort and F2 list those of the current model, and set one for it alone, " +
				"which takes precedence.",
		},
		{
			key: "context_window", group: groupModel, holds: scalar(KindNumber, &c.ContextWindow, 0, parseWindow, strconv.Itoa),
			about: "Tokens the model takes in one call; 0: detect it",
			more:  "Prompt and answer together. Some providers report it, and for many models it is known. When it is nearly reached, older messages are summarised.",
		},
		{
			key: "prompt", group: groupModel, vault: agreed, holds: choice(&c.Prompt, "auto", PromptFull, "compact"),
			about: "How much the model is told: full, or compact for a small model",
			more: "compact is a short prompt with few simple tools, and what is found in your notes goes along with each message. auto chooses it for a model " +
				"that its server says to have less than 15 billion parameters, or a context below 16,000 tokens.",
		},
		{
			key: "first_byte_timeout_seconds", group: groupModel, holds: number(&c.FirstByteSeconds, 120, 1, 3600),
			about: "How long a provider may take to begin its answer", more: "Keep-alive messages do not count.",
		},
		{
			key: "stall_timeout_seconds", group: groupModel, holds: number(&c.StallSeconds, 60, 1, 3600),
			about: "How long a provider may pause within an answer",
		},

		{
			key: "approval", group: groupAgent, env: "CHATVAULT_APPROVAL", vault: freely,
			holds: choice(&c.Approval, ApprovalOff, ApprovalDestructive, ApprovalWrites, ApprovalPlan).
				meaning("nothing waits; /undo reverts", "deleting, moving folders, overwriting, large removals", "every change", "it plans first, and changes only what an approved plan says"),
			about: "What waits for your consent: nothing, much, everything, or a plan first",
			more: "Destructive means deleting, moving a folder, overwriting a note that was not read, removing more than half of one, " +
				"and every change after the fifth in a turn. A vault's file can only make this stricter. --approval sets it for one run; " +
				"in the chat, /approval and F3 change it until you quit.",
		},
		{
			key: privateKey, group: groupAgent, vault: freely, holds: private(c), example: `["Diary/", "*.secret.md"]`,
			about: "Globs of notes the agent may not see",
			more: `It cannot read, find, count or change them, and nothing in them is ever sent to a provider. "Diary/" is every folder of ` +
				`that name and everything in it, "/Diary/" the one at the top of the vault, "Work/Pay/" that path, "*.secret.md" a name in any folder. ` +
				"A vault's file can only add to these.",
			until: "the agent of this chat still sees what it hides until you quit and start again",
		},
		{
			key: "user_name", group: groupAgent, vault: agreed, holds: line(&c.UserName, parseName), example: `"Ines"`,
			about: "What the agent calls you; empty: your name on this machine",
		},
		{
			key: "information_architecture", group: groupAgent, vault: agreed, holds: words(KindProse, &c.Architecture, DefaultArchitecture, parseText),
			about: "Where things belong in your vault", more: "In your own words; this replaces chatvault's own advice to the agent.",
			example: "\"\"\"\nProjects go to Projects/NAME/, one note each for plan, log and decisions.\nRecipes go to Recipes/ and carry the tag recipe.\n\"\"\"",
		},
		{
			key: "max_tool_iterations", group: groupAgent, vault: lower, holds: number(&c.MaxToolIterations, 10, 1, 1000),
			about: "Rounds of tool calls in a turn", more: "After that the agent has to wrap up.",
		},
		{key: "goal_max_turns", group: groupAgent, vault: lower, holds: number(&c.GoalMaxTurns, 10, 1, 1000), about: "Turns spent on a goal before it is paused"},
		{
			key: "strategy", group: groupAgent, vault: agreed, holds: choice(&c.Strategy, "batch", StrategySingle).meaning("one turn for all", "one turn for each"),
			about: "How several waiting messages are answered: together, or one by one",
			more:  "With batch, what you send during a turn joins it at its next step.",
		},
		{key: "read_max_lines", group: groupAgent, vault: lower, holds: number(&c.ReadMaxLines, 2000, 1, 1_000_000), about: "Lines of a note read at once"},
		{key: "read_max_bytes", group: groupAgent, vault: lower, holds: number(&c.ReadMaxBytes, 100_000, 1000, 10_000_000), about: "Bytes of a note read at once"},

		{
			key: "budget_tokens", group: groupBudget, why: whySpend, holds: number(&c.BudgetTokens, 0, 0, 1_000_000_000),
			about: "The most tokens a turn may use; 0: no limit",
		},
		{
			key: "budget_usd", group: groupBudget, why: whySpend, holds: scalar(KindAmount, &c.BudgetUSD, 0, parseAmount, showAmount),
			about: "The most dollars a turn may cost, for models with a price; 0: no limit", more: "See [prices] below.",
		},

		{
			key: "conversation_idle_timeout_minutes", group: groupConversations, vault: lower, holds: number(&c.IdleMinutes, 30, 1, 525_600),
			about: "Idle minutes after which a message starts a new conversation",
		},
		{
			key: "max_conversations_retained", group: groupConversations, vault: agreed, holds: number(&c.MaxConversations, 1000, 1, 1_000_000),
			about: "How many ended conversations are kept",
		},
		{
			key: "conversation_state_timeout_minutes", group: groupConversations, vault: lower, holds: number(&c.StateTimeoutMinutes, 60, 1, 525_600),
			about: "Minutes a question from the agent waits for an answer",
		},
		{
			key: "enable_conversation_retrospection", group: groupConversations, vault: agreed, holds: toggle(&c.Retrospection, false),
			about: "Have the model review each conversation that ends",
		},
		{
			key: "retrospection_prompt", group: groupConversations, vault: agreed, example: `"What went well, what did not, and what should I change?"`,
			holds: words(KindProse, &c.RetrospectionPrompt, DefaultRetrospectionPrompt, parseText),
			about: "The prompt for that review", more: "It replaces the built-in one.",
		},
		{
			key: "save_chats", group: groupConversations, why: whyNotes, holds: line(&c.SaveChats, parseFolder), example: `"Chats/"`,
			about: "Folder in the vault where ended conversations are saved as notes",
			more: "Empty: none. find_notes skips the folder unless asked to search it; " +
				"if it is also in private, the agent sees none of it.",
		},

		{
			key: "theme", group: groupScreen, env: "CHATVAULT_THEME", vault: freely, atOnce: true,
			holds: choice(&c.Theme, ThemeAuto, "dark", "light", "warm", "paper", "contrast", "contrast-light", ThemeNone),
			about: "The colours; /theme previews them", more: "auto is dark or light to match the terminal; paper is warm and light; NO_COLOR turns auto into none.",
		},
		{
			key: "mouse", group: groupScreen, env: "CHATVAULT_MOUSE", vault: freely, holds: toggle(&c.Mouse, true), atOnce: true,
			about: "Use the wheel and clicks; when off, the terminal selects text itself",
		},
		{
			key: "notify", group: groupScreen, env: "CHATVAULT_NOTIFY", vault: agreed, atOnce: true,
			holds: choice(&c.Notify, attention.Auto, attention.UseBell, attention.UseOSC9, attention.UseNone).
				meaning("a notification if the terminal is known to support it, else the bell", "the bell", "a notification (OSC 9)", "not at all"),
			about: "How you are notified while you are away from the chat",
		},
		{
			key: "accessible", group: groupScreen, env: "CHATVAULT_ACCESSIBLE", vault: freely, holds: toggle(&c.Accessible, false),
			about: "Plain lines instead of a screen, for screen readers", more: "ACCESSIBLE=1 does the same.",
		},
		{
			key: "hyperlinks", group: groupScreen, env: "CHATVAULT_HYPERLINKS", vault: freely, atOnce: true,
			holds: choice(&c.Hyperlinks, "auto", HyperlinksOn, HyperlinksOff),
			about: "Make note names clickable links", more: "auto: if the terminal is known to support them.",
		},

		{
			key: "smarthole.enabled", group: groupRouting, env: "CHATVAULT_SMARTHOLE", why: whyRouting, holds: toggle(&c.SmartHole.Enabled, false),
			about: "Accept messages that SmartHole routes here",
			more:  "SmartHole is a program on this computer that routes spoken or typed messages. chatvault serve always accepts them.",
		},
		{
			key: "smarthole.url", group: groupRouting, why: whyRouting, holds: line(&c.SmartHole.URL, parseName), example: `"ws://127.0.0.1:9473"`,
			about: "Where SmartHole listens; empty: its default address",
		},
		{
			key: "smarthole.name", group: groupRouting, why: whyRouting, holds: words(KindText, &c.SmartHole.Name, "chatvault", parseName),
			about: "The name of this program there", more: `A letter, then letters, digits, "-" and "_".`,
		},
		{
			key: "smarthole.description", group: groupRouting, why: whyRouting, holds: line(&c.SmartHole.Description, parseText),
			about: "What should be routed here", more: "By default a sentence with the vault's name.", example: `"My notes: recipes, projects, the garden"`,
		},
		{
			key: "smarthole.token", group: groupRouting, why: whyKeys, holds: scalar(KindFixed, &c.SmartHole.Token, Secret{}, parseToken, Secret.String),
			about:   "A secret that SmartHole must prove it knows before its messages are accepted",
			more:    "Set the same one in SmartHole: 16 characters or more, without spaces. It is never sent. On Linux, programs of other users are refused even without it.",
			example: `"a-long-random-secret"`,
		},
	}, tablesOf(c)...)
}

// tablesOf returns the settings that are tables with keys of their own.
func tablesOf(c *Config) []row {
	return []row{
		{
			key: "providers", group: groupTables, why: whySent, holds: table(c, "providers", (*loader).providers),
			about: "Your own endpoints, one table each in the file",
			more: "Already known: openai, anthropic, openrouter, gemini, groq, mistral, deepseek, ollama, lmstudio, llama.cpp, vllm, jan. " +
				`A table adds one, or changes one of these. A name with a dot needs quotes: [providers."llama.cpp"]. ` +
				`api is the protocol of an endpoint: "chat" (OpenAI's chat completions), "messages" (Anthropic's, the default of anthropic) or ` +
				`"responses" (OpenAI's newer one, the default of OpenAI's models that need it to reason and use tools). ` +
				`A table headers in it has headers of each request, such as { X-Team_env = "TEAM" }: a name that ends in _env or _command has its value there.`,
			example: "[providers.openrouter]\napi_key_env = \"OPENROUTER_API_KEY\"\nmodel = \"anthropic/claude-sonnet-4.5\"\n\n" +
				"[providers.attic]\nbase_url = \"http://192.168.1.20:8000/v1\"\nallow_insecure = true\n\n" +
				"[providers.office]\nbase_url = \"https://gateway.example.com/v1\"\napi = \"messages\"\napi_key_env = \"OFFICE_KEY\"",
		},
		{
			key: mcpTable, group: groupTables, why: "it starts programs", holds: table(c, mcpTable, (*loader).mcpServers),
			about: "MCP servers whose tools the agent may use, one table each in the file",
			more: "A program that is started gets PATH, HOME, LANG, what env names, and an empty working folder. An entry in env or " +
				"headers whose name ends in _command is a command line that prints the value. You are asked before the first call of each tool.",
			example: "[mcp.weather]\ncommand = \"npx\"\nargs = [\"-y\", \"weather-mcp\"]\nenv = { UNITS = \"metric\", WEATHER_KEY_command = \"pass show weather\" }\n" +
				"tools = [\"forecast\"]\n\n[mcp.tickets]\nurl = \"https://tickets.example/mcp\"\nbearer_command = \"pass show tickets\"\ntimeout_seconds = 30\nenabled = false",
		},
		{
			key: keysTable, group: groupTables, env: "CHATVAULT_KEYS", why: "it decides what your keys do", atOnce: true, holds: keyStyle(c),
			about:   "The keys of the chat",
			more:    "As a table, keys by action, read at the start, and style for this; chatvault config keys lists the actions.",
			example: "[keys]\nstyle = \"emacs\"\ndetails = \"ctrl+x\"\npalette = [\"ctrl+p\", \"f3\"]\nsuspend = \"none\"",
		},
		{
			key: "prices", group: groupTables, why: whySpend, holds: table(c, "prices", (*loader).prices),
			about:   "What models cost, for /cost and budget_usd, one table each in the file",
			more:    "In dollars per million tokens. Many models' prices are built in; these take precedence.",
			example: "[prices.\"openrouter/anthropic/claude-sonnet-4.5\"]\ninput = 3.0\ncached_input = 0.3\ncache_write = 3.75\noutput = 15.0",
		},
		{
			key: vaultsTable, group: groupTables, why: whyVault, holds: table(c, vaultsTable, (*loader).vaults),
			about: "Where a vault's history is kept, one table each in the file",
			more: "What was said, and what can be undone. By default it is in your own state folder, so that nothing that comes with a " +
				"vault speaks for you; \"vault\" keeps it in the vault's .smarthole folder, for a vault that you sync between your own machines.",
			example: "[vaults.\"~/Notes\"]\nstate = \"vault\"",
		},
	}
}

// DefaultArchitecture tells the agent how to file notes in a vault without rules of its own.
const DefaultArchitecture = `Follow the order that is already there; the vault's own habits win over these.

- Look before creating: a note on the subject may exist under another name. Extend it rather than start a second one.
- One note, one subject. Its file name is its title, in plain words, without a date unless the note belongs to a day or a meeting.
- Put a new note beside its nearest relatives. Make a new folder only when three notes would move into it.
- Link the notes, people and projects that a text names with [[wikilinks]], once each, where such notes exist.
- Use tags and front matter keys that the vault uses already; invent none in passing.
- A task is a line "- [ ] …" in the note of the work it belongs to. Tick it when it is done; do not remove it.
- What happened on a day goes into that day's daily note, where the vault keeps daily notes.
- Keep the owner's words. Add and correct; do not rewrite what was not asked about.`

// DefaultRetrospectionPrompt asks the model to review an ended conversation.
const DefaultRetrospectionPrompt = `The conversation above between a person and the agent that tends their notes is over. Look back at it, for the person, in at most 200 words of Markdown:

1. What did they want, and did they get it? Name what is unfinished.
2. Where did the agent hesitate, guess, search twice or need correcting, and what would have spared that?
3. Which one rule about where things belong in this vault, if it had been written down, would have helped? Quote the rule as it should stand; leave this out when there is none.

Be concrete, name notes as [[Note]], praise nobody.`

package acp

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Editors returns the names that Install knows.
func Editors() []string { return []string{"zed", "obsidian", "codecompanion", "agent-shell"} }

// Install returns the configuration with which an editor starts the chat, and where it goes. ok is false for an
// unknown editor. program is the absolute path of chatvault. An empty vault means that of the editor's folder.
func Install(editor, program, vault string) (entry string, ok bool) {
	args := []string{"acp"}
	if vault != "" {
		args = append(args, "--vault", vault)
	}
	switch strings.ToLower(editor) {
	case "zed":
		return zed(program, args), true
	case "obsidian", "agent-client", "agent client":
		return obsidian(program, args), true
	case "codecompanion", "neovim", "nvim":
		return codeCompanion(program, args), true
	case "agent-shell", "emacs":
		return agentShell(program, args), true
	}
	return "", false
}

func zed(program string, args []string) string {
	entry, _ := json.MarshalIndent(map[string]any{"agent_servers": map[string]any{ // texts can always be encoded
		"chatvault": map[string]any{"type": "custom", "command": program, "args": args, "env": map[string]string{}},
	}}, "", "  ")
	return "Add this to Zed's settings.json (command palette: zed: open settings file), then start a new chatvault thread in the agent panel:\n\n" + string(entry)
}

func obsidian(program string, args []string) string {
	return fmt.Sprintf(`In Obsidian, install the community plugin "Agent Client". In its settings, under Custom agents, add one:

Agent ID:      chatvault
Display name:  chatvault
Path:          %s
Arguments:     (one a line)
%s

Environment variables: none are needed; a provider's key may stand there.`, program, "  "+strings.Join(args, "\n  "))
}

func codeCompanion(program string, args []string) string {
	command := make([]string, 0, len(args)+1)
	for _, word := range append([]string{program}, args...) {
		command = append(command, quoted(word))
	}
	return `Add this adapter where Neovim sets CodeCompanion up, then choose chatvault as the adapter of a chat:

require("codecompanion").setup({
  adapters = {
    acp = {
      chatvault = function()
        local helpers = require("codecompanion.adapters.acp.helpers")
        return {
          name = "chatvault",
          formatted_name = "chatvault",
          type = "acp",
          roles = { llm = "assistant", user = "user" },
          commands = { default = { ` + strings.Join(command, ", ") + ` } },
          defaults = { mcpServers = {}, timeout = 20000 },
          parameters = {
            protocolVersion = 1,
            clientCapabilities = { fs = { readTextFile = true, writeTextFile = true } },
            clientInfo = { name = "CodeCompanion.nvim", version = "1.0.0" },
          },
          handlers = {
            setup = function() return true end,
            auth = function() return true end,
            form_messages = function(self, messages, capabilities)
              return helpers.form_messages(self, messages, capabilities)
            end,
            on_exit = function() end,
          },
        }
      end,
    },
  },
})`
}

func agentShell(program string, args []string) string {
	params := make([]string, len(args))
	for i, word := range args {
		params[i] = quoted(word)
	}
	return `Add this to Emacs's init file, then run M-x agent-shell and choose chatvault:

(with-eval-after-load 'agent-shell
  (add-to-list 'agent-shell-agent-configs
               (agent-shell-make-agent-config
                :identifier 'chatvault
                :mode-line-name "chatvault"
                :buffer-name "chatvault"
                :shell-prompt "chatvault> "
                :shell-prompt-regexp "chatvault> "
                :client-maker (lambda (buffer)
                                (acp-make-client
                                 :command ` + quoted(program) + `
                                 :command-params '(` + strings.Join(params, " ") + `)
                                 :context-buffer buffer)))))`
}

// quoted returns a string literal of Lua or Emacs Lisp.
func quoted(word string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(word) + `"`
}

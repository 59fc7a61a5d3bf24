package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"chatvault/agent/llm"
	"chatvault/agent/llm/endpoint"
	"chatvault/conversation"
	"chatvault/internal/app/config"
	"chatvault/internal/app/session/export"
	"chatvault/internal/base/atomicfile"
	"chatvault/internal/base/text"
	"chatvault/vault"
)

// ExportActive writes the active conversation without keys to a file: as JSON if the name ends with .json, else as
// Markdown. An empty name is derived from the title, in the working folder or, if that is in the vault, in the home
// folder: a transcript becomes a note only on request.
func (s *Conversations) ExportActive(_ context.Context, file string) (string, error) {
	c, err := s.active("this conversation is empty; /conversations exports an earlier one")
	if err != nil {
		return "", err
	}
	if file == "" {
		return s.exportNote(c)
	}
	path, err := exportPath(file)
	if err != nil {
		return "", err
	}
	data, err := Exported(c, strings.EqualFold(filepath.Ext(path), ".json"), true, s.hide)
	if err != nil {
		return "", err
	}
	return path, writeExport(path, data)
}

// exportNote writes a conversation as a note into the default folder, under a free name.
func (s *Conversations) exportNote(c *conversation.Conversation) (string, error) {
	folder, err := exportFolder(s.vault)
	if err != nil {
		return "", err
	}
	data := []byte(s.hide(AsNote(c)))
	for _, path := range freeNames(filepath.Join(folder, fileTitle(TitleOf(c.Entry())))) {
		if err = writeExport(path, data); !errors.Is(err, errThere) {
			return path, err
		}
	}
	return "", errors.New("a hundred files of that name are in the working folder; export it with chatvault conversations export")
}

// Exported returns a conversation as a file holds it, without keys: as JSON or as a note.
func Exported(c *conversation.Conversation, asJSON, active bool, hide func(string) string) ([]byte, error) {
	if !asJSON {
		return []byte(hide(AsNote(c))), nil
	}
	var out bytes.Buffer
	err := text.WriteJSON(&out, export.Document(c, active))
	return []byte(hide(out.String())), err
}

// exportPath resolves the file that a person named: relative to the working folder, ~ for home, with an extension.
func exportPath(file string) (string, error) {
	home, _ := os.UserHomeDir()
	file = config.ExpandHome(file, home)
	if strings.HasSuffix(file, string(filepath.Separator)) {
		return "", fmt.Errorf("%s is a folder; name a file in it", file)
	}
	if filepath.Ext(file) == "" {
		file += ".md"
	}
	return filepath.Abs(file)
}

// exportFolder returns the default folder of exports.
func exportFolder(v *vault.Vault) (string, error) {
	folder, err := os.Getwd()
	if err == nil && !config.Inside(folder, v.Dir()) {
		return folder, nil
	}
	home, err := os.UserHomeDir()
	if err != nil || config.Inside(home, v.Dir()) {
		return "", errors.New("the working folder is in the vault; name a file: /export FILE")
	}
	return home, nil
}

var errThere = errors.New("already exists and is unchanged; give another name")

// writeExport writes an export. It overwrites no existing file.
func writeExport(name string, data []byte) error {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a folder; name a file in it", name)
	}
	switch err := atomicfile.CreatePath(name, data, 0o600); {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s %w", name, errThere)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s cannot be written: there is no folder %s", name, filepath.Dir(name))
	case err != nil:
		return fmt.Errorf("%s cannot be written: %w", name, err)
	}
	return nil
}

// Keyless returns a function that removes keys from exported text: the given ones, and likely keys pasted into
// the chat.
func Keyless(secrets []string) func(string) string {
	return func(text string) string { return llm.RedactKeys(text, secrets...) }
}

// Secrets returns the keys that are available without prompting.
func Secrets(cfg *config.Config, lookupEnv func(string) (string, bool)) []string {
	sources := []config.KeySource{cfg.APIKey}
	for _, p := range cfg.Providers {
		sources = append(sources, p.Key)
	}
	for _, p := range endpoint.Presets {
		if p.KeyEnv != "" {
			sources = append(sources, config.EnvKey(p.KeyEnv, config.Origin{}))
		}
	}
	var all []string
	for _, source := range sources {
		if !source.Configured() || source.IsCommand() {
			continue
		}
		// On an error there is no key: an unset key is in no conversation.
		if key, err := source.Resolve(context.Background(), lookupEnv); err == nil && !key.Empty() {
			all = append(all, key.Reveal())
		}
	}
	return all
}

package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"chatvault/vault"
)

// exportTo writes the conversation that is on the screen to a file, without keys: JSON where its
// name ends with .json, else Markdown. An empty name is one made of the title, in the working
// folder, or in the user's home where that is within the vault: a copy of what was said is no note
// unless the person says so.
func (a *app) exportTo(file string, hide func(string) string) (string, error) {
	conv, err := a.conversations.Active()
	switch {
	case err != nil:
		return "", err
	case conv == nil:
		return "", errors.New("nothing was said in this conversation yet; /conversations exports an earlier one")
	}
	t, err := tellingOf(conv, 0)
	if err != nil {
		return "", err
	}
	if t.gone, err = removed(a.conversations, conv.Continues); err != nil {
		return "", err
	}
	if file == "" {
		folder, err := exportFolder(a.vault)
		if err != nil {
			return "", err
		}
		return exportInto(folder, fileTitle(titleOf(conv.Entry())), []byte(hide(note(t))))
	}
	path, err := exportPath(file)
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	if strings.EqualFold(filepath.Ext(path), ".json") {
		err = writeJSON(&out, mapStrings(t.document(true), hide))
	} else {
		out.WriteString(hide(note(t)))
	}
	if err != nil {
		return "", err
	}
	if err := writeExport(path, out.Bytes(), false); err != nil {
		return "", errors.New(strings.ReplaceAll(err.Error(), "; --force overwrites it", "; give another name"))
	}
	return path, nil
}

// exportPath is the file that a person named: relative to the working folder, ~ for home, with an
// extension.
func exportPath(file string) (string, error) {
	if rest, ok := strings.CutPrefix(file, "~"); ok && (rest == "" || rest[0] == filepath.Separator) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("nobody says where ~ is: %w", err)
		}
		file = filepath.Join(home, rest)
	}
	if strings.HasSuffix(file, string(filepath.Separator)) {
		return "", fmt.Errorf("%s is a folder; name a file in it", file)
	}
	switch ext := filepath.Ext(file); {
	case ext == "":
		file += ".md"
	case !strings.EqualFold(ext, ".md") && !strings.EqualFold(ext, ".json") && !strings.EqualFold(ext, ".markdown") && !strings.EqualFold(ext, ".txt"):
		return "", fmt.Errorf("%s is neither Markdown (.md) nor JSON (.json)", filepath.Base(file))
	}
	return filepath.Abs(file)
}

// exportFolder is where an export goes for which nobody named a file.
func exportFolder(v *vault.Vault) (string, error) {
	folder, err := os.Getwd()
	if err == nil && !inside(folder, v.Dir()) {
		return folder, nil
	}
	home, err := os.UserHomeDir()
	if err != nil || inside(home, v.Dir()) {
		return "", errors.New("the working folder is in the vault; name a file: /export FILE")
	}
	return home, nil
}

// inside says whether a folder is another one or below it, by where they really are.
func inside(folder, other string) bool {
	for _, p := range []*string{&folder, &other} {
		if real, err := filepath.EvalSymlinks(*p); err == nil {
			*p = real
		}
	}
	rel, err := filepath.Rel(other, folder)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// exporter writes the conversation that a chat has on the screen to a file.
func (c *chats) exporter(x *oneChat) func(context.Context, string) (string, error) {
	return func(_ context.Context, file string) (string, error) {
		return x.exportTo(file, keyless(secrets(x.config, c.streams.LookupEnv)))
	}
}

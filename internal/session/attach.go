package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"chatvault/agent"
	"chatvault/conversation"
	"chatvault/tools"
	"chatvault/vault"
)

// maxListed is how many entries of an attached folder are listed.
const maxListed = 200

// attachTries is how often a file is read until what is shown of it is as short as it must be, and
// says itself how to read on.
const attachTries = 4

// attacher reads what is attached to messages through the very tools that the agent reads with: what
// these must not see, no message takes with it.
func attacher(v *vault.Vault, limits tools.Options) agent.Attach {
	return func(ctx context.Context, path string, bytes int) (conversation.Attachment, error) {
		info, err := v.Stat(ctx, strings.TrimSuffix(path, "/"))
		if err != nil {
			if why := unnameable(ctx, v, path); why != "" {
				return conversation.Attachment{}, errors.New(why + ", so the agent cannot read it; rename it first")
			}
		}
		switch {
		case errors.Is(err, vault.ErrNotFound), errors.Is(err, vault.ErrDenied), errors.Is(err, vault.ErrNotFolder):
			return conversation.Attachment{}, nil
		case err != nil:
			return conversation.Attachment{}, err
		}
		name, args := "read_file", map[string]any{"path": info.Path}
		if info.Folder {
			name, args = "list_files", map[string]any{"path": info.Path, "max_results": maxListed}
		}
		o := limits
		if o.ReadMaxBytes <= 0 || o.ReadMaxBytes > bytes {
			o.ReadMaxBytes = bytes
		}
		request, err := json.Marshal(args)
		if err != nil {
			return conversation.Attachment{}, err
		}
		text := ""
		for range attachTries {
			result := tools.NewRegistry(v, o).Turn(nil).Call(ctx, name, request)
			if result.IsError {
				return conversation.Attachment{}, errors.New(strings.TrimPrefix(result.Text, "Error: "))
			}
			if text = result.Text; len(text) <= bytes || info.Folder {
				break
			}
			// The numbers of the lines count, too.
			o.ReadMaxBytes = max(o.ReadMaxBytes*bytes/len(text)*9/10, 1)
		}
		return conversation.Attachment{Path: info.Path, Text: cutLines(text, bytes)}, nil
	}
}

// unnameable says in a few words why no path of the agent's can name a file that is in the vault and
// may be seen; empty: one can, or there is no such file. File systems allow names that mean something
// else in a path that a model writes (vault.CleanPath).
func unnameable(ctx context.Context, v *vault.Vault, path string) string {
	clean, err := vault.CleanPath(path)
	if err == nil && clean == path {
		return ""
	}
	why := "its name looks like a drive or an address"
	switch {
	case strings.ContainsRune(path, '\\'):
		why = "its name has a backslash"
	case strings.TrimRight(path, "\r\n") != path:
		why = "its name ends with a line break"
	case err == nil:
		return "" // another way to write the path
	}
	list, err := completableFiles(ctx, v)
	if err != nil || !slices.ContainsFunc(list, func(f VaultFile) bool { return f.Path == path }) {
		return ""
	}
	return why
}

// cutLines is as many whole lines of a text as are at most so many bytes.
func cutLines(text string, most int) string {
	if len(text) <= most {
		return text
	}
	cut := strings.LastIndexByte(text[:most], '\n') + 1
	return fmt.Sprintf("%s[... %d more lines left out]", text[:cut], strings.Count(text[cut:], "\n")+1)
}

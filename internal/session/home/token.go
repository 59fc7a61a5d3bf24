package home

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"chatvault/internal/atomicfile"
	"chatvault/internal/statefile"
)

const (
	tokenFile = "mcp-token"
	tokenLen  = 26 // letters and digits of rand.Text, 130 bits
)

// Token is the token with which clients may reach the vault over HTTP, and the file of a state folder that
// holds it, for its owner alone. It is made where there is none, or one that others could read.
func Token(root *os.Root) (token, file string, err error) {
	file = filepath.Join(root.Name(), tokenFile)
	info, err := statefile.Stat(root, tokenFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", file, err
	}
	if err == nil && info.Mode().Perm()&0o077 == 0 {
		data, err := statefile.Read(root, tokenFile, 1<<10)
		if err != nil {
			return "", file, err
		}
		if token = strings.TrimSpace(string(data)); len(token) >= tokenLen {
			return token, file, nil
		}
	}
	if err == nil {
		if err := root.Remove(tokenFile); err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", file, err
		}
	}
	token = rand.Text()
	return token, file, atomicfile.WriteFile(root, tokenFile, []byte(token+"\n"), 0o600)
}

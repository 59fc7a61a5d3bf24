package vault

import (
	"context"

	"chatvault/vault/journal"
)

// Write creates or overwrites a file at once; see Request.
func (v *Vault) Write(ctx context.Context, path string, data []byte, ifHash string) (Change, error) {
	return v.Do(ctx, Request{Op: OpWrite, Path: path, Data: data, IfHash: ifHash}, nil)
}

// Mkdir creates a folder and its parents at once; created is false if it exists.
func (v *Vault) Mkdir(ctx context.Context, path string) (name string, created bool, err error) {
	done, err := v.Do(ctx, Request{Op: OpMkdir, Path: path}, nil)
	return done.Path, done.Op != "", err
}

// Move renames a file or folder at once; see planMove.
func (v *Vault) Move(ctx context.Context, source, destination string) (Change, error) {
	return v.Do(ctx, Request{Op: OpMove, Path: source, NewPath: destination}, nil)
}

// Delete moves a file or folder to the trash at once; see planDelete.
func (v *Vault) Delete(ctx context.Context, path string, recursive bool) (Change, error) {
	return v.Do(ctx, Request{Op: OpDelete, Path: path, Recursive: recursive}, nil)
}

// beginChange records a change as planned, with the new content of a write.
func beginChange(ctx context.Context, v *Vault, c Change, data []byte) (journal.Pending, error) {
	c.Data = data
	d, err := v.describe(ctx, c, Request{})
	if err != nil {
		return journal.Pending{}, err
	}
	defer d.close()
	return v.begin(ctx, d)
}

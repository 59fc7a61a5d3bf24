package vault

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"time"

	"chatvault/internal/base/statefile"
	links "chatvault/vault/link"
	"chatvault/vault/lookup"
	"chatvault/vault/search"
	"chatvault/vault/vaulterr"
	"chatvault/vault/walk"
)

// Source returns the source of walks of the vault.
func (v *Vault) Source() walk.Source {
	s := walk.Source{Open: v.openTree, Ignored: func() []string { return v.Obsidian.Settings().UserIgnoreFilters }, Form: v.Home().Form()}
	if v.finder.Private != nil {
		s.Private = v.finder.Private.HasEntry
	}
	return s
}

// vaultView implements the interfaces of the packages inside vault.
type vaultView struct{ *Vault }

// Home returns the program that the vault is written for, by its files.
func (v *Vault) Home() links.Home {
	has := func(name string) bool {
		_, err := v.finder.Root.Lstat(name)
		return !errors.Is(err, fs.ErrNotExist)
	}
	plain := !has(".obsidian")
	if settings, _, err := (vaultView{v}).Own("logseq", "config.edn"); err == nil {
		return links.Logseq(settings, plain)
	}
	return links.Home{Plain: plain, Dendron: has("dendron.yml") || has("root.schema.yml")}
}

func (v vaultView) Find(ctx context.Context, path string) (name string, folder bool, err error) {
	info, err := v.Stat(ctx, path)
	return info.Path, info.Folder, err
}

func (v vaultView) Content(ctx context.Context, path string) (name string, data []byte, err error) {
	f, err := v.Read(ctx, path)
	if err != nil {
		return "", nil, err
	}
	return f.Path, f.Data, nil
}

func (v vaultView) File(ctx context.Context, path string) (name string, err error) {
	p, err := v.finder.Find(ctx, path, lookup.ForReading)
	if err != nil {
		return "", err
	}
	defer p.Close()
	return p.Path, p.MustBeFile(path)
}

func (v vaultView) Text(ctx context.Context, path string, limit int64) (name string, data []byte, err error) {
	f, p, err := v.openFile(ctx, path)
	if err != nil {
		return "", nil, err
	}
	defer func() { _ = f.Close() }()
	data, err = p.Content(f, limit)
	if err == nil && Binary(data) {
		err = errNoText
	}
	return p.Path, data, err
}

// errNoText is returned for a template that is not text.
var errNoText = errors.New("it is binary, not text")

// maxSettings limits a settings file of Obsidian, in bytes.
const maxSettings = 1 << 20

// Own reads a file of a protected folder for the program's own use, and returns its modification time. It must be a
// regular file of at most maxSettings bytes; links are not followed.
func (v vaultView) Own(folder, name string) ([]byte, time.Time, error) {
	f, info, err := statefile.Open(v.finder.Root, path.Join(folder, name), os.O_RDONLY, 0)
	if err != nil {
		return nil, time.Time{}, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxSettings))
	return data, info.ModTime(), err
}

// Head returns the first max bytes of a file.
func (v *Vault) Head(ctx context.Context, path string, max int) ([]byte, error) {
	f, p, err := v.openFile(ctx, path)
	if err != nil {
		return nil, v.withNear(ctx, err, path)
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, min(int64(max), p.Info.Size()+1)))
	if err != nil {
		return nil, vaulterr.Wrap(err, path, "read")
	}
	return data, nil
}

// Search is search.Run in the vault.
func (v *Vault) Search(ctx context.Context, q search.Query) (search.Result, error) {
	return search.Run(ctx, v.Source(), q)
}

// List is search.List for a folder in any spelling.
func (v *Vault) List(ctx context.Context, q search.ListQuery) (search.ListResult, error) {
	folder, err := v.finder.Folder(ctx, q.Folder)
	if err != nil {
		return search.ListResult{}, err
	}
	return search.List(ctx, v.Source(), folder, q)
}

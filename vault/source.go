package vault

import (
	"chatvault/vault/failure"
	"chatvault/vault/search"
	"chatvault/vault/walk"
	"context"
	"io"
	"iter"
	"path"
)

// source is what walks of the vault go through.
func (v *Vault) source() walk.Source {
	s := walk.Source{Open: v.openTree, Ignored: func() []string { return v.settings().UserIgnoreFilters }, Index: v.index.Load, Private: v.privateEntry}
	if s.Private == nil && v.private != nil {
		s.Private = func(dir, name string) bool { return v.private(path.Join(dir, name)) }
	}
	return s
}

// Notes yields every Markdown file of the vault under the same protection as everything else,
// in no particular order, with sizes and times. Symbolic links are not followed. It stops
// when ctx ends, with its error as the last pair.
func (v *Vault) Notes(ctx context.Context) iter.Seq2[walk.Entry, error] { return v.source().Notes(ctx) }

// Texts visits every visible file whose name matches a glob; see walk.Source.
func (v *Vault) Texts(ctx context.Context, pattern string, visit func(worker int, t walk.Text) bool, skipped func(path string, err error)) error {
	return v.source().Texts(ctx, pattern, visit, skipped)
}

// TextWorkers is how many workers Texts has.
func (v *Vault) TextWorkers() int { return walk.Workers() }

// Ignored is walk.Source.IgnoredFiles.
func (v *Vault) Ignored() func(path string) bool { return v.source().IgnoredFiles() }

// asked is the vault as queries see it.
type asked struct{ *Vault }

func (v asked) Source() walk.Source { return v.source() }

func (v asked) Find(ctx context.Context, path string) (name string, folder bool, err error) {
	info, err := v.Stat(ctx, path)
	return info.Path, info.Folder, err
}

func (v asked) Content(ctx context.Context, path string) (name string, data []byte, err error) {
	f, err := v.Read(ctx, path)
	if err != nil {
		return "", nil, err
	}
	return f.Path, f.Data, nil
}

// IgnoreFilters says how many filters for excluded files Obsidian's settings have, and which of
// them cannot be followed, because they are no regular expression of RE2.
func (v *Vault) IgnoreFilters() (filters int, faulty []string) {
	rules := walk.NewRules(v.settings().UserIgnoreFilters)
	return len(rules.Prefixes) + len(rules.Patterns) + len(rules.Faulty), rules.Faulty
}

// Head is the first bytes of a file, at most max: for whoever looks into many files, some of them
// huge.
func (v *Vault) Head(ctx context.Context, path string, max int) ([]byte, error) {
	f, p, err := v.openFile(ctx, path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, min(int64(max), p.info.Size()+1)))
	if err != nil {
		return nil, failure.Wrap(err, path, "read")
	}
	return data, nil
}

// Search is search.Run in the vault.
func (v *Vault) Search(ctx context.Context, q search.Query) (search.Result, error) {
	return search.Run(ctx, v.source(), q, search.UsualSizes)
}

// List is search.List of a folder, however that is spelled.
func (v *Vault) List(ctx context.Context, q search.ListQuery) (search.ListResult, error) {
	folder, err := v.resolveFolder(ctx, q.Folder)
	if err != nil {
		return search.ListResult{}, err
	}
	return search.List(ctx, v.source(), folder, q)
}

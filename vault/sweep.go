package vault

import (
	"context"

	"chatvault/internal/atomicfile"
)

// SweepTemps removes the temporary files that a crash of an earlier run left beside
// notes, and says how many there were. It goes through the whole vault and is meant for
// the background, after the start; files of a running chatvault are left alone.
func (v *Vault) SweepTemps(ctx context.Context) (removed int, err error) {
	folders := []string{"."}
	v.eachName(ctx, sweepCount, func(name string, folder bool) bool {
		if folder {
			folders = append(folders, name)
		}
		return true
	})
	for _, folder := range folders {
		if err := ctx.Err(); err != nil {
			return removed, err
		}
		n, err := v.sweepFolder(ctx, folder)
		removed += n
		if err != nil {
			return removed, err
		}
	}
	return removed, nil
}

// sweepCount bounds the entries gone through, so that a sweep ends.
const sweepCount = 1_000_000

func (v *Vault) sweepFolder(ctx context.Context, folder string) (int, error) {
	p, err := v.findExact(ctx, folder, folder, refuseLinks)
	if err != nil {
		return 0, ctx.Err() // it went meanwhile
	}
	defer p.close()
	if !p.info.IsDir() {
		return 0, nil
	}
	dir, err := openFolder(p.dir, p.name, p.info)
	if err != nil {
		return 0, ctx.Err()
	}
	defer func() { _ = dir.Close() }()
	v.changing.Lock() // what a change under way has laid by is in no other way known from what a crash left
	defer v.changing.Unlock()
	unlock, err := v.lockOut(ctx)
	if err != nil {
		return 0, err
	}
	defer unlock()
	removed, err := atomicfile.SweepTemps(dir, ".")
	if err != nil {
		return removed, wrap(err, folder, "sweep")
	}
	return removed, nil
}

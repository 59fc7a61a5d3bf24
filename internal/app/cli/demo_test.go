package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// In whatever week the demo begins, the sample vault has the same tasks due in it, on the same weekdays, links of dates
// lead to their notes, and no note was changed in the future.
func TestCopySample(t *testing.T) {
	for _, now := range []string{"2026-11-23T00:00", "2026-11-29T23:59", "2026-11-30T00:00", "2027-05-05T12:00", "2026-01-10T09:30", "2028-02-29T08:00"} {
		t.Run(now, func(t *testing.T) {
			at, err := time.ParseInLocation("2006-01-02T15:04", now, time.Local)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			if err := copySample(dir, os.DirFS("../../../testdata/vault"), at); err != nil {
				t.Fatal(err)
			}
			monday := at.AddDate(0, 0, -int(at.Weekday()+6)%7).Format(time.DateOnly)
			var all strings.Builder
			names := map[string]bool{}
			err = fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				names[strings.TrimSuffix(filepath.Base(name), ".md")] = true
				text, err := os.ReadFile(filepath.Join(dir, name))
				all.Write(text)
				if info, err := d.Info(); err != nil || info.ModTime().After(at) || at.Sub(info.ModTime()) > 3*365*24*time.Hour {
					t.Errorf("%s: changed %v, %v", name, info.ModTime(), err)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(all.String(), "Hang two revised boxes on the footbridge (due "+monday+")") {
				t.Errorf("the boxes are not due on %s", monday)
			}
			for _, link := range strings.Split(all.String(), "[[")[1:] {
				link, _, _ = strings.Cut(link, "]]")
				if link, _, _ = strings.Cut(link, "|"); day().MatchString(link) && !names[link] {
					t.Errorf("[[%s]] leads nowhere", link)
				}
			}
		})
	}
}

package fsys

import (
	"errors"
	"io/fs"
	"os"
	"strings"
)

// ErrNotDownloaded is the error for a file whose content iCloud, OneDrive or a similar service keeps online.
var ErrNotDownloaded = errors.New("it is not downloaded on this computer")

// placeholder returns the name of the file that iCloud keeps instead of one that is not downloaded.
func placeholder(name string) string { return "." + name + ".icloud" }

// DownloadedName returns the name that a placeholder has once it is downloaded, and any other name unchanged.
func DownloadedName(name string) string {
	bare, ok := strings.CutSuffix(name, ".icloud")
	if !ok || len(bare) < 2 || bare[0] != '.' || bare[1] == '.' {
		return name
	}
	return bare[1:]
}

// IsOffline reports whether a file is not downloaded.
func IsOffline(dir *os.Root, name string) bool {
	return isOffline(&rootFolder{dir: dir}, name)
}

// IsDataless reports whether a file with this description is not downloaded.
func IsDataless(info fs.FileInfo) bool { return statOf(info).Offline }

func isOffline(in Folder, name string) bool {
	st, err := in.Stat(name)
	return err == nil && st.Offline
}

// entryName returns the name under which Entries yields an entry: a placeholder has that of its file.
func entryName(in Folder, name string) string {
	if own := DownloadedName(name); own != name && isOffline(in, own) {
		return own
	}
	return name
}

// statEntry calls stat for an entry or, if it is missing, for its placeholder.
func statEntry(name string, stat func(name string) (Stat, error)) (Stat, error) {
	st, err := stat(name)
	if errors.Is(err, fs.ErrNotExist) && name != "." {
		if at, other := stat(placeholder(name)); other == nil && at.Kind == KindFile {
			at.Size, at.Offline = 0, true
			return at, nil
		}
	}
	return st, err
}

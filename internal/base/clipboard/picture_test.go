//go:build unix

package clipboard

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strings"
	"testing"
	"time"
)

// TestPicture checks that the picture is taken from the first program that has one, that text does not count, and
// that a program that prints too much, fails or hangs does not block.
func TestPicture(t *testing.T) {
	const pixels = "\x89PNG\r\n\x1a\n\x00 pixels"
	octal := `\211PNG\r\n\032\n\000 pixels`
	for name, tt := range map[string]struct {
		goos    string
		vars    []string
		scripts map[string]string
		want    string
		err     error
	}{
		"Wayland":             {vars: []string{wayland}, scripts: map[string]string{"wl-paste": `[ "$2 $3" = "--type image/png" ] && printf '` + octal + `'`}, want: pixels},
		"a JPEG alone":        {vars: []string{x11}, scripts: map[string]string{"xclip": `[ "$4" = image/jpeg ] && printf '` + octal + `'`}, want: pixels},
		"X within Wayland":    {vars: []string{wayland, x11}, scripts: map[string]string{"wl-paste": "exit 1", "xclip": `printf '` + octal + `'`}, want: pixels},
		"macOS":               {goos: "darwin", scripts: map[string]string{"osascript": `echo '«data PNGf` + strings.ToUpper(hex.EncodeToString([]byte(pixels))) + `»'`}, want: pixels},
		"macOS with a text":   {goos: "darwin", scripts: map[string]string{"osascript": "echo 'Can’t make some data into the expected type. (-1700)' >&2; exit 1"}, err: ErrNoPicture},
		"Windows":             {goos: "windows", scripts: map[string]string{"powershell.exe": "echo " + base64.StdEncoding.EncodeToString([]byte(pixels))}, want: pixels},
		"Windows with a text": {vars: []string{"WSL_INTEROP=x"}, scripts: map[string]string{"powershell.exe": ":"}, err: ErrNoPicture},
		"a text":              {vars: []string{x11}, scripts: map[string]string{"xclip": "echo 'Error: target image/png not available' >&2; exit 1"}, err: ErrNoPicture},
		"too large":           {vars: []string{x11}, scripts: map[string]string{"xclip": "yes"}, err: errTooMuch},
		"from afar":           {vars: []string{wayland, "SSH_TTY=/dev/pts/1"}, scripts: map[string]string{"wl-paste": `printf '` + octal + `'`}, err: ErrNoReader},
		"no program":          {vars: []string{x11}, err: ErrNoReader},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTestClipboard(t, tt.vars, tt.scripts)
			if tt.goos != "" {
				s.GOOS = tt.goos
			}
			got, err := s.Picture(t.Context(), 1000)
			if string(got) != tt.want || !errors.Is(err, tt.err) {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
	s := newTestClipboard(t, []string{x11}, map[string]string{"xclip": "sleep 300"})
	s.Wait = 50 * time.Millisecond
	if _, err := s.Picture(t.Context(), 1000); !errors.Is(err, ErrNoPicture) {
		t.Error(err)
	}
}

package clipboard

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
)

// Errors of Picture.
var (
	ErrNoPicture = errors.New("the clipboard holds no picture")
	ErrNoReader  = errors.New("no program here reads pictures from the clipboard")
)

// reader is a program that prints the clipboard's picture. Without one it fails or prints nothing.
type reader struct {
	args   []string
	decode func(printed []byte) ([]byte, error) // nil if it prints the bytes themselves
}

// Picture returns the clipboard's picture, up to most bytes.
func (c *Clipboard) Picture(ctx context.Context, most int) ([]byte, error) {
	if c.Setting == File || c.Setting == OSC52 {
		return nil, ErrNoReader
	}
	readers := readersFor(c.GOOS, c.Getenv, c.Find)
	if len(readers) == 0 {
		return nil, ErrNoReader
	}
	for _, r := range readers {
		data, err := c.printed(ctx, r, most)
		if err != nil && ctx.Err() != nil {
			return nil, err
		}
		if errors.Is(err, errTooMuch) {
			return nil, err
		}
		if err == nil && len(data) > 0 {
			return data, nil
		}
	}
	return nil, ErrNoPicture
}

var errTooMuch = errors.New("the picture in the clipboard is too large")

func (c *Clipboard) printed(ctx context.Context, r reader, most int) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(max(c.Wait, 0), commandWait))
	defer cancel()
	if r.decode != nil {
		most = most*2 + 100 // hexadecimal digits
	}
	out := &bounded{left: most + 1}
	cmd := command(ctx, r.args)
	cmd.Stdout = out
	err := cmd.Run()
	switch {
	case out.left == 0:
		return nil, errTooMuch
	case err != nil:
		return nil, failed(ctx, r.args[0], err)
	case r.decode != nil:
		return r.decode([]byte(out.b.String()))
	}
	return []byte(out.b.String()), nil
}

// readersFor returns the programs that can read a picture, most likely first. Over a remote connection only X
// forwarding reaches the user's clipboard.
func readersFor(goos string, getenv func(string) string, find func(string) string) []reader {
	var all []reader
	add := func(decode func([]byte) ([]byte, error), name string, args ...string) {
		if path := find(name); path != "" {
			all = append(all, reader{append([]string{path}, args...), decode})
		}
	}
	far := remote(getenv)
	switch {
	case far:
	case goos == "darwin":
		add(fromAppleScript, "osascript", "-e", "get the clipboard as «class PNGf»")
	case goos == "windows", getenv("WSL_DISTRO_NAME") != "", getenv("WSL_INTEROP") != "":
		add(fromBase64, "powershell.exe", "-NoProfile", "-NonInteractive", "-Sta", "-Command", powershell)
	}
	for _, kind := range []string{"image/png", "image/jpeg"} {
		if getenv("WAYLAND_DISPLAY") != "" && !far {
			add(nil, "wl-paste", "--no-newline", "--type", kind)
		}
		if getenv("DISPLAY") != "" {
			add(nil, "xclip", "-selection", "clipboard", "-target", kind, "-out")
		}
	}
	return all
}

const powershell = `Add-Type -AssemblyName System.Windows.Forms,System.Drawing; $i = [Windows.Forms.Clipboard]::GetImage(); ` +
	`if ($i) { $m = New-Object IO.MemoryStream; $i.Save($m, [Drawing.Imaging.ImageFormat]::Png); [Convert]::ToBase64String($m.ToArray()) }`

// fromAppleScript decodes «data PNGf89504E47…».
func fromAppleScript(printed []byte) ([]byte, error) {
	_, digits, ok := bytes.Cut(printed, []byte("«data PNGf"))
	digits, _, closed := bytes.Cut(digits, []byte("»"))
	if !ok || !closed {
		return nil, fmt.Errorf("osascript: %w", ErrNoPicture)
	}
	return hex.AppendDecode(nil, digits)
}

func fromBase64(printed []byte) ([]byte, error) {
	return base64.StdEncoding.AppendDecode(nil, bytes.TrimSpace(printed))
}

package clipboard

import (
	"bytes"
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

var errTooMuch = errors.New("the picture in the clipboard is too large")

// Picture returns the clipboard's picture, up to most bytes.
func (c *Clipboard) Picture(ctx context.Context, most int) ([]byte, error) {
	found := c.installed(readers)
	if len(found) == 0 {
		return nil, ErrNoReader
	}
	for _, p := range found {
		out := &bounded{most: most}
		if p.decode != nil {
			out.most = most*2 + 100 // hexadecimal digits
		}
		err := c.run(ctx, &p, nil, out)
		data := out.data
		if err == nil && p.decode != nil {
			data, err = p.decode(data)
		}
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case out.full:
			return nil, errTooMuch
		case err == nil && len(data) > 0:
			return data, nil
		}
	}
	return nil, ErrNoPicture
}

// bounded is a buffer that takes at most a number of bytes.
type bounded struct {
	data []byte
	most int
	full bool // there was more
}

func (w *bounded) Write(p []byte) (int, error) {
	if w.full = w.full || len(w.data)+len(p) > w.most; w.full {
		return 0, errTooMuch
	}
	w.data = append(w.data, p...)
	return len(p), nil
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

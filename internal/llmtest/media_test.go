package llmtest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/jpeg"
	"image/png"
	"net/http"
	"strings"
	"testing"
)

// pngOf returns a blank PNG image of w×h pixels in base64.
func pngOf(w, h int) string {
	var b bytes.Buffer
	_ = png.Encode(&b, image.NewGray(image.Rect(0, 0, w, h))) // a valid image always encodes
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// TestPictures checks that each protocol accepts images and documents in its own format and rejects others with a
// specific error.
func TestPictures(t *testing.T) {
	var b bytes.Buffer
	_ = jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 9, 9)), nil) // a valid image always encodes
	small, photo := pngOf(4, 3), base64.StdEncoding.EncodeToString(b.Bytes())
	camera := base64.StdEncoding.EncodeToString(append([]byte("\xff\xd8\xff\xe1\x00\x08Exif\x00\x00"), b.Bytes()[2:]...))
	pdf := base64.StdEncoding.EncodeToString([]byte("%PDF-1.7"))
	big := strings.Repeat("A", 6<<20)
	raw, _ := base64.StdEncoding.DecodeString(small)
	big = base64.StdEncoding.EncodeToString(raw) + big // invalid: data after the padding
	use := func(kind, media, data string) string {
		return document(map[string]any{"type": kind, "source": map[string]any{"type": "base64", "media_type": media, "data": data}})
	}
	url := func(media, data string) string {
		return document(map[string]any{"type": "image_url", "image_url": map[string]any{"url": "data:" + media + ";base64," + data}})
	}
	in := func(media, data string) string {
		return document(map[string]any{"type": "input_image", "image_url": "data:" + media + ";base64," + data, "detail": "auto"})
	}
	for _, c := range []struct{ path, part, says string }{
		{"/messages", use("image", "image/png", small), ""},
		{"/messages", use("image", "image/jpeg", photo), ""},
		{"/messages", use("document", "application/pdf", pdf), ""},
		{"/messages", use("image", "image/jpeg", small), "does not match the provided media type"},
		{"/messages", use("image", "image/bmp", small), "media_type: Input should be"},
		{"/messages", use("image", "image/png", pngOf(8001, 1)), "8000 pixels"},
		{"/messages", use("image", "image/png", big), "invalid base64"},
		{"/messages", use("image", "image/jpeg", camera), "with what it was taken"},
		{"/messages", use("document", "application/pdf", small), "PDF specified was not valid"},
		{"/messages", use("image", "application/pdf", pdf), "not of this block"},
		{"/messages", `{"type":"image","source":{"type":"url","url":"https://example.org/a.png"}}`, "source.url: Extra"},
		{"/messages", `{"type":"image_url","image_url":{"url":"x"}}`, "unknown"},
		{"/chat/completions", url("image/png", small), ""},
		{"/chat/completions", url("image/png", photo), "does not match"},
		{"/chat/completions", url("image/png", "%%"), "invalid base64"},
		{"/chat/completions", `{"type":"image_url","image_url":{"url":"https://example.org/a.png"}}`, "Invalid URL"},
		{"/chat/completions", `{"type":"image_url","image_url":"x"}`, "Invalid URL"},
		{"/chat/completions", use("image", "image/png", small), "Supported values are"},
		{"/chat/completions", `{"type":"text","text":" "}`, "non-empty"},
		{"/chat/completions", `{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,` + pdf + `"}}`, "unknown variant"},
		{"/responses", in("image/png", small), ""},
		{"/responses", `{"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,` + pdf + `"}`, ""},
		{"/responses", `{"type":"input_file","file_data":"data:application/pdf;base64,` + pdf + `"}`, "filename"},
		{"/responses", in("image/webp", small), "does not match"},
		{"/responses", url("image/png", small), "Supported values are"},
		{"/responses", `{"type":"input_image","url":"x"}`, "Unknown parameter"},
	} {
		srv, err := Start([]Step{Reply("ok", Forever())}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		text := map[string]string{"/responses": `{"type":"input_text","text":"look"}`}[c.path]
		if text == "" {
			text = `{"type":"text","text":"look"}`
		}
		content := `[{"type":"message","role":"user","content":[` + text + `,` + c.part + `]}]`
		body := map[string]string{
			"/messages":         `{"model":"claude-x","max_tokens":10,"messages":` + strings.Replace(content, `"type":"message",`, "", 1) + `}`,
			"/chat/completions": `{"model":"m","messages":` + strings.Replace(content, `"type":"message",`, "", 1) + `}`,
			"/responses":        `{"model":"m","store":false,"input":` + content + `}`,
		}[c.path]
		if !json.Valid([]byte(body)) {
			t.Fatal(body)
		}
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL()+c.path, strings.NewReader(body))
		req.Header.Set("Anthropic-Version", "x")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		problems := strings.Join(srv.Violations(), " ")
		if (resp.StatusCode == http.StatusOK) != (c.says == "") || !strings.Contains(problems, c.says) {
			t.Errorf("%s %.120s: %d %s", c.path, c.part, resp.StatusCode, problems)
		}
		if c.says == "" && len(srv.Requests()[0].Media()) != 1 {
			t.Errorf("%s %.120s: it shows %q", c.path, c.part, srv.Requests()[0].Media())
		}
		srv.Close()
	}
}

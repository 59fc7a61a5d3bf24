package llmtest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	_ "image/gif"  // the form is known
	_ "image/jpeg" // the form is known
	_ "image/png"  // the form is known
	"maps"
	"slices"
	"strings"

	_ "golang.org/x/image/webp" // the form is known
)

// Bounds of pictures. Sources: platform.claude.com/docs/en/build-with-claude/vision (5 MB in base64, 8000
// pixels a side, 2000 where there are more than 20); developers.openai.com/api/docs/guides/images-vision
// (50 MB a request).
const (
	maxImage     = 5 << 20 // bytes in base64
	maxImageSide = 8000    // pixels
	manyImages   = 20
	manyMaxSide  = 2000 // pixels, where there are more than manyImages
)

var imageTypes = []string{"image/jpeg", "image/png", "image/gif", "image/webp"}

// seen is what a picture or a document is, in brackets, as conditions see it: "[image/png 40×30]".
type seen struct{ text string }

// look decodes a picture or a document; wrong is what an endpoint says of one that it refuses.
func look(mediaType, b64 string) (s seen, w, h int, wrong string) {
	s.text = "[" + mediaType + "]"
	data, err := base64.StdEncoding.DecodeString(b64)
	switch {
	case err != nil || len(data) == 0:
		return s, 0, 0, "invalid base64 data"
	case mediaType == "application/pdf":
		if !bytes.HasPrefix(data, []byte("%PDF-")) {
			return s, 0, 0, "The PDF specified was not valid."
		}
		return s, 0, 0, ""
	case !slices.Contains(imageTypes, mediaType):
		return s, 0, 0, "media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'"
	}
	c, kind, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return s, 0, 0, "Could not process image"
	}
	s.text = fmt.Sprintf("[%s %d×%d]", mediaType, c.Width, c.Height)
	switch {
	case "image/"+kind != mediaType:
		return s, 0, 0, fmt.Sprintf("Image does not match the provided media type %s", mediaType)
	case len(b64) > maxImage:
		return s, 0, 0, fmt.Sprintf("image exceeds 5 MB maximum: %d bytes > %d bytes", len(b64), maxImage)
	case max(c.Width, c.Height) > maxImageSide:
		return s, 0, 0, "At least one of the image dimensions exceed max allowed size: 8000 pixels"
	case bytes.Contains(data, []byte("Exif\x00")):
		return s, 0, 0, "it tells where and with what it was taken" // no endpoint's: nothing of that is to be sent
	}
	return s, c.Width, c.Height, ""
}

// lookURL does so with a URL that holds the data.
func lookURL(url string) (seen, string) {
	rest, isData := strings.CutPrefix(url, "data:")
	mediaType, b64, ok := strings.Cut(rest, ";base64,")
	if !isData || !ok {
		return seen{"[?]"}, "Invalid URL: expected a base64-encoded data URL with an image MIME type (e.g. 'data:image/png;base64,…')"
	}
	s, _, _, wrong := look(mediaType, b64)
	return s, wrong
}

// sourceOf is what a block of the Messages API shows.
func sourceOf(b map[string]any) (s seen, w, h int, wrong string) {
	src := object(b["source"])
	for field := range src {
		if !slices.Contains([]string{"type", "media_type", "data"}, field) {
			return s, 0, 0, "source." + field + ": Extra inputs are not permitted"
		}
	}
	if src["type"] != "base64" {
		return s, 0, 0, "source.type: Input should be 'base64'"
	}
	if isPDF := src["media_type"] == "application/pdf"; isPDF != (b["type"] == "document") {
		return s, 0, 0, "source.media_type: not of this block"
	}
	return look(str(src["media_type"]), str(src["data"]))
}

// shownBy is what one part of a message's content shows, in any of the protocols; false: it is a text.
func shownBy(part map[string]any) (s seen, wrong string, ok bool) {
	switch part["type"] {
	case "image_url":
		s, wrong = lookURL(str(object(part["image_url"])["url"]))
	case "file":
		s, wrong = lookURL(str(object(part["file"])["file_data"]))
	case "input_image":
		s, wrong = lookURL(str(part["image_url"]))
	case "input_file":
		s, wrong = lookURL(str(part["file_data"]))
	case "image", "document":
		s, _, _, wrong = sourceOf(part)
	default:
		return seen{}, "", false
	}
	return s, wrong, true
}

// chatParts says what is wrong with the parts of a message over chat completions.
func (e *Endpoint) chatParts(m map[string]any) string {
	if role(m) != "user" && (!e.Cached || role(m) == "assistant") {
		return "content must be a string"
	}
	for _, p := range list(m["content"]) {
		p := object(p)
		fields := map[string][]string{"text": {"text"}, "image_url": {"image_url"}, "file": {"file"}}[str(p["type"])]
		_, wrong, _ := shownBy(p)
		if p["cache_control"] != nil && p["type"] == "text" && e.Cached {
			if object(p["cache_control"])["type"] != "ephemeral" {
				return "cache_control.type: Input should be 'ephemeral'"
			}
			p = maps.Clone(p)
			delete(p, "cache_control")
		}
		switch {
		case fields == nil || len(p) != 2 || p[fields[0]] == nil:
			return fmt.Sprintf("Invalid value: '%v'. Supported values are: 'text', 'image_url' and 'file'.", p["type"])
		case p["type"] == "text" && strings.TrimSpace(str(p["text"])) == "":
			return "text content blocks must be non-empty"
		case p["type"] == "text":
		case e.Blind != "":
			return e.Blind
		case p["type"] == "file" && !e.Documents:
			return "unknown variant `file`, expected `text` or `image_url`"
		case p["type"] == "file" && str(object(p["file"])["filename"]) == "":
			return "Missing required parameter: 'file.filename'"
		case wrong != "":
			return wrong
		}
	}
	return ""
}

// Media are the pictures and documents of a request, in brackets, in order, each time they are shown.
func (r *Request) Media() []string {
	var body any
	if json.Unmarshal(r.Body, &body) != nil {
		return nil
	}
	var out []string
	var walk func(v any)
	walk = func(v any) {
		if o := object(v); o != nil {
			if s, _, ok := shownBy(o); ok {
				out = append(out, s.text)
				return
			}
			for _, name := range []string{"messages", "input", "content", "output"} {
				walk(o[name])
			}
		}
		for _, e := range list(v) {
			walk(e)
		}
	}
	walk(body)
	return out
}

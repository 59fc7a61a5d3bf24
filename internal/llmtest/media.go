package llmtest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	_ "image/gif"  // register the decoder
	_ "image/jpeg" // register the decoder
	_ "image/png"  // register the decoder
	"maps"
	"slices"
	"strings"

	_ "golang.org/x/image/webp" // register the decoder
)

// Limits of images. Sources: platform.claude.com/docs/en/build-with-claude/vision (5 MB in base64, 8000 pixels
// per side, 2000 in requests with more than 20 images); developers.openai.com/api/docs/guides/images-vision
// (50 MB per request).
const (
	maxImage     = 5 << 20 // bytes in base64
	maxImageSide = 8000    // pixels
	manyImages   = 20
	manyMaxSide  = 2000 // pixels, in requests with more than manyImages images
)

var imageTypes = []string{"image/jpeg", "image/png", "image/gif", "image/webp"}

// placeholder replaces an image or a document in the text that conditions see: "[image/png 40×30]".
type placeholder struct{ text string }

// inspect decodes an image or a document. It returns an image's width and height in pixels. wrong is an endpoint's
// error message for invalid data, or empty.
func inspect(mediaType, b64 string) (s placeholder, w, h int, wrong string) {
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
		return s, 0, 0, "it tells where and with what it was taken" // our own rule: metadata must not be sent
	}
	return s, c.Width, c.Height, ""
}

// inspectURL inspects the image or document in a data URL.
func inspectURL(url string) (placeholder, string) {
	rest, isData := strings.CutPrefix(url, "data:")
	mediaType, b64, ok := strings.Cut(rest, ";base64,")
	if !isData || !ok {
		return placeholder{"[?]"}, "Invalid URL: expected a base64-encoded data URL with an image MIME type (e.g. 'data:image/png;base64,…')"
	}
	s, _, _, wrong := inspect(mediaType, b64)
	return s, wrong
}

// inspectSource inspects the source of an image or document block of the Messages API.
func inspectSource(b map[string]any) (s placeholder, w, h int, wrong string) {
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
	return inspect(str(src["media_type"]), str(src["data"]))
}

// inspectPart inspects a content part of any protocol. ok is false if the part is not an image or a document.
func inspectPart(part map[string]any) (s placeholder, wrong string, ok bool) {
	switch part["type"] {
	case "image_url":
		s, wrong = inspectURL(str(object(part["image_url"])["url"]))
	case "file":
		s, wrong = inspectURL(str(object(part["file"])["file_data"]))
	case "input_image":
		s, wrong = inspectURL(str(part["image_url"]))
	case "input_file":
		s, wrong = inspectURL(str(part["file_data"]))
	case "image", "document":
		s, _, _, wrong = inspectSource(part)
	default:
		return placeholder{}, "", false
	}
	return s, wrong, true
}

// checkParts returns the error for the content parts of a chat-completions message, or "" if they are valid.
func (e *Endpoint) checkParts(m map[string]any) string {
	if role(m) != "user" && (!e.Cached || role(m) == "assistant") {
		return "content must be a string"
	}
	for _, p := range list(m["content"]) {
		p := object(p)
		fields := map[string][]string{"text": {"text"}, "image_url": {"image_url"}, "file": {"file"}}[str(p["type"])]
		_, wrong, _ := inspectPart(p)
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

// Media returns a placeholder such as "[image/png 40×30]" for each image and document in the request, in request
// order and with repetitions.
func (r *Request) Media() []string {
	var body any
	if json.Unmarshal(r.Body, &body) != nil {
		return nil
	}
	var out []string
	var walk func(v any)
	walk = func(v any) {
		if o := object(v); o != nil {
			if s, _, ok := inspectPart(o); ok {
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

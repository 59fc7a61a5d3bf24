package note

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"chatvault/internal/base/lazyregexp"
)

// shape is a node of a canvas (jsoncanvas.org) or an element of an Excalidraw drawing.
type shape struct{ ID, Text, File, Subpath, URL, Label, Link string }

// IsDrawing reports whether a file with this name is a canvas or a drawing, and no Markdown.
func IsDrawing(name string) bool {
	ext := path.Ext(name)
	return strings.EqualFold(ext, ".canvas") || strings.EqualFold(ext, ".excalidraw")
}

// drawingData matches the heading of a drawing's data, "# Drawing" or "## Drawing" in newer ones.
var drawingData = lazyregexp.New("\n##? Drawing\r?\n")

// Readable returns what can be searched in the text of a file: of a drawing in Markdown what precedes its data, of a
// canvas or a drawing a list item for each node with its ID, its text and the target of its link, on the node's own
// line if the file has one for each.
func Readable(name string, text []byte) []byte {
	if IsDrawing(name) {
		return shapes(bytes.TrimPrefix(text, []byte("\ufeff")))
	}
	if bytes.HasPrefix(text, []byte("---")) && bytes.Contains(text[:min(len(text), 1<<10)], []byte("\nexcalidraw-plugin:")) {
		if at := drawingData().FindIndex(text); at != nil {
			return text[:at[0]:at[0]]
		}
	}
	return text
}

// shapes returns the list items of a canvas or a drawing.
func shapes(text []byte) []byte {
	var out bytes.Buffer
	dec, lines := json.NewDecoder(bytes.NewReader(text)), 0
	for list := ""; ; {
		token, err := dec.Token()
		if err != nil {
			return out.Bytes()
		}
		if key, ok := token.(string); ok || token != json.Delim('[') || list != "nodes" && list != "edges" && list != "elements" {
			list = key
			continue
		}
		for dec.More() {
			var s shape
			if err := dec.Decode(&s); err != nil && !json.Valid(text) {
				return out.Bytes()
			}
			said := strings.Join(strings.Fields(strings.Join([]string{s.Label, s.File + s.Subpath, s.URL, s.Link, s.Text}, " ")), " ")
			if said == "" {
				continue
			}
			for at := bytes.Count(text[:dec.InputOffset()], []byte("\n")); lines < at; lines++ {
				out.WriteByte('\n')
			}
			fmt.Fprintf(&out, "- node %s: %s\n", s.ID, said)
			lines++
		}
	}
}

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

// drawingData matches the heading of a drawing's data, "# Drawing" or "## Drawing" in newer ones, and compressed data.
var drawingData = lazyregexp.New("\n##? Drawing\r?\n(?:(?:%%\r?\n)?```compressed-json\r?\n([^`]*)```)?")

// Readable returns what can be searched in the text of a file: of a drawing in Markdown what precedes its data, of a
// canvas or a drawing a list item for each node with its ID, its text and the target of its link, on the node's own
// line if the file has one for each. Compressed data adds the items of which the text before has nothing.
func Readable(name string, text []byte) []byte {
	if IsDrawing(name) {
		return shapes(bytes.TrimPrefix(text, []byte("\ufeff")), nil)
	}
	if bytes.HasPrefix(text, []byte("---")) && bytes.Contains(text[:min(len(text), 1<<10)], []byte("\nexcalidraw-plugin:")) {
		if at := drawingData().FindSubmatchIndex(text); at != nil {
			all, head := text, text[:at[0]:at[0]]
			if text = head; at[2] >= 0 {
				data, _ := unpack(string(all[at[2]:at[3]])) // nothing can be searched in faulty data
				text = append(append(head, '\n'), shapes([]byte(data), head)...)
			}
		}
	}
	return text
}

// shapes returns the list items of a canvas or a drawing, without those whose text is known.
func shapes(text, known []byte) []byte {
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
			if known != nil && bytes.Contains(known, []byte(s.Text)) {
				s.Text = ""
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

package mcp

import (
	"encoding/json"
	"strings"
	"testing"

	"chatvault/conversation/artifact"
	"chatvault/internal/base/picture"
	"chatvault/tools"
)

// TestEmbeddedContent: a client gets a tool's attachments whole, in the protocol's types.
func TestEmbeddedContent(t *testing.T) {
	r := result(tools.Result{Text: "Drawn.", Things: []artifact.Thing{
		{Name: "a tree.png", Data: []byte("\x89PNG\r\n\x1a\n")}, {Name: "list.txt", Data: []byte("oak")}, {Name: "none"},
	}})
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`{"type":"text","text":"Drawn."}`, `/a%20tree.png"`, `"mimeType":"image/png","blob":"iVBORw0KGgo="`, `"mimeType":"text/plain","text":"oak"`,
	} {
		if !strings.Contains(string(data), want) {
			t.Errorf("no %s in %s", want, data)
		}
	}
	if len(r.Content) != 3 {
		t.Errorf("%s", data)
	}
}

// TestPictureContent: a client gets a picture as image content, and a document whole.
func TestPictureContent(t *testing.T) {
	for want, x := range map[string]*tools.Shown{
		`{"type":"image","mimeType":"image/png","data":"cGl4ZWxz"}`:                                                         {Info: picture.Info{Type: picture.PNG}, Name: "a.png", Data: []byte("pixels")},
		`{"type":"resource","resource":{"uri":"vault:///b/report.pdf","mimeType":"application/pdf","blob":"JVBERi0xLjQK"}}`: {Info: picture.Info{Type: picture.PDF}, Name: "b/report.pdf", Data: []byte("%PDF-1.4\n")},
	} {
		data, err := json.Marshal(result(tools.Result{Text: "It is one.", Shown: x}))
		if err != nil || !strings.Contains(string(data), want) || !strings.Contains(string(data), "It is one.") {
			t.Errorf("no %s in %s, %v", want, data, err)
		}
	}
}

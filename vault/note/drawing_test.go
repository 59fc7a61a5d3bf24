package note

import "testing"

func TestReadable(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a.md", "# A\n## Drawing\nx\n", "# A\n## Drawing\nx\n"},
		{"a.md", "---\nexcalidraw-plugin: raw\n---\nx\n%%\n# Drawing\n```json\n{}\n", "---\nexcalidraw-plugin: raw\n---\nx\n%%"},
		{"a.md", "---\r\nexcalidraw-plugin: parsed\r\n---\r\nx\r\n%%\r\n## Drawing\r\n```compressed-json\r\nN4\r\n", "---\r\nexcalidraw-plugin: parsed\r\n---\r\nx\r\n%%\r"},
		{"a.canvas", "", ""},
		{"a.canvas", "no JSON", ""},
		{"a.canvas", "\ufeff" + `{"nodes":[{"id":"1","type":"text","text":"a\nb"}]}`, "- node 1: a b\n"},
		{"a.CANVAS", "{\"nodes\":[\n{\"id\":\"1\",\"text\":\"a\"},\n{\"id\":\"2\",\"x\":0},\n{\"id\":\"3\",\"file\":\"n.md\",\"subpath\":\"#h\"}]}", "\n- node 1: a\n\n- node 3: n.md#h\n"},
		{"a.canvas", `{"nodes":[{"id":"1","text":"a"},{"id":"2","te`, "- node 1: a\n"},
		{"a.canvas", `{"nodes":[{"id":1,"text":"a"},{"id":"2","text":"b"}]}`, "- node : a\n- node 2: b\n"},
		{"a.excalidraw", `{"elements":[{"id":"e","text":"t","link":"https://x.org"}],"appState":{"name":"elements"}}`, "- node e: https://x.org t\n"},
	} {
		if got := string(Readable(c.name, []byte(c.text))); got != c.want {
			t.Errorf("%s %q: %q, want %q", c.name, c.text, got, c.want)
		}
	}
}

//go:build ignore

// Generate makes models.tsv.gz of the JSON in charm.land/catwalk's module (MIT), whose Go is newer than ours:
// go run agent/llm/models/generate.go VERSION
package main

import (
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io/fs"
	"log"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

type provider struct {
	ID       string  `json:"id"`
	Endpoint string  `json:"api_endpoint"`
	Models   []model `json:"models"`
}

type model struct {
	ID        string   `json:"id"`
	Window    int      `json:"context_window"`
	MaxTokens int      `json:"default_max_tokens"`
	In        float64  `json:"cost_per_1m_in"`
	Out       float64  `json:"cost_per_1m_out"`
	InCached  float64  `json:"cost_per_1m_in_cached"`  // mostly what writing costs
	OutCached float64  `json:"cost_per_1m_out_cached"` // mostly what reading costs
	Reasons   bool     `json:"can_reason"`
	Levels    []string `json:"reasoning_levels"`
	Pictures  bool     `json:"supports_attachments"`
}

// hosts are those of providers whose address stands in the environment of who uses catwalk.
var hosts = map[string]string{"openai": "api.openai.com", "anthropic": "api.anthropic.com", "gemini": "generativelanguage.googleapis.com"}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("give the version of charm.land/catwalk, such as v0.52.86")
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "# charm.land/catwalk %s, MIT\n", os.Args[1])
	for _, p := range read(os.Args[1]) {
		host := hosts[p.ID]
		if u, err := url.Parse(p.Endpoint); err == nil && u.Host != "" {
			host = u.Host
		}
		fmt.Fprintf(&out, "@\t%s\t%s\n", p.ID, host)
		slices.SortFunc(p.Models, func(a, b model) int { return cmp.Compare(a.ID, b.ID) })
		for _, m := range p.Models {
			fmt.Fprintln(&out, m.line(p.ID))
		}
	}
	var packed bytes.Buffer
	z := must(gzip.NewWriterLevel(&packed, gzip.BestCompression))
	must(z.Write(out.Bytes()))
	must(0, z.Close())
	must(0, os.WriteFile("agent/llm/models/models.tsv.gz", packed.Bytes(), 0o644))
	fmt.Printf("%d bytes\n", packed.Len())
}

// must ends the program where something failed.
func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// read takes the files out of the module, through the module proxy and its checksums.
func read(version string) []provider {
	cmd := exec.Command("go", "mod", "download", "-json", "charm.land/catwalk@"+version)
	cmd.Dir = os.TempDir()  // no module's
	said, _ := cmd.Output() // it fails where its Go is newer, and has the file all the same
	var module struct{ Zip string }
	if err := json.Unmarshal(said, &module); err != nil || module.Zip == "" {
		log.Fatalf("the module was not downloaded: %s", said)
	}
	z := must(zip.OpenReader(module.Zip))
	defer z.Close()
	var all []provider
	for _, name := range must(fs.Glob(z, "charm.land/catwalk@*/internal/providers/configs/*.json")) {
		var p provider
		must(0, json.Unmarshal(must(fs.ReadFile(z, name)), &p))
		all = append(all, p)
	}
	if len(all) == 0 {
		log.Fatal("the module has no providers where they are looked for")
	}
	slices.SortFunc(all, func(a, b provider) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

func (m model) line(provider string) string {
	if provider == "openai" || provider == "azure" { // the prompt may not take what the answer may
		if strings.HasPrefix(m.ID, "gpt-5") || strings.HasPrefix(m.ID, "gpt-6") {
			m.Window -= m.MaxTokens
		}
	}
	read, write := m.cached()
	levels := strings.Join(m.Levels, ",")
	if m.Reasons && levels == "" {
		levels = "-"
	}
	sees := ""
	if m.Pictures {
		sees = "+"
	}
	price := func(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }
	return strings.Join([]string{m.ID, strconv.Itoa(m.Window), strconv.Itoa(m.MaxTokens), price(m.In), price(read), price(write), price(m.Out), levels, sees}, "\t")
}

// cached are what reading from and writing into a cache cost. Their names are of writing and reading, but
// some providers' have the price of reading under that of writing: what is dearer than the prompt itself is
// no price of reading, and what is cheaper none of writing.
func (m model) cached() (read, write float64) {
	read = m.In
	for _, c := range []float64{m.InCached, m.OutCached} {
		if c > 0 {
			read = min(read, c)
		}
	}
	return read, max(m.In, m.InCached)
}

// Package models holds the windows, prices and reasoning efforts of known models. Its data is charm.land/catwalk's
// (MIT), updated by make catalog. It is parsed on first use, for the requested providers only.
package models

import (
	"bufio"
	"bytes"
	"compress/gzip"
	_ "embed"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"chatvault/internal/base/lazyregexp"
)

//go:embed models.tsv.gz
var data []byte

// Model holds the known facts of a model at one provider.
type Model struct {
	ID     string
	Window int // tokens of prompt and answer, or of the prompt if its limit is lower
	// Prices in dollars per million tokens; all zero if unknown.
	Input, CacheRead, CacheWrite, Output float64
	LongAbove                            int // prompt tokens above which all of a request costs more; 0 if none
	Reasons                              bool
	Efforts                              []string // accepted values; nil if unknown
	Sees                                 bool     // it takes pictures
	Blind                                bool     // it takes none; of some, neither is known
}

// Priced reports whether its prices are known.
func (m Model) Priced() bool { return m.Input > 0 || m.Output > 0 }

// Find returns the model of the provider at an address or, if the address is unknown, of the provider with that name.
// It returns false if it is unknown.
func Find(provider, baseURL, model string) (Model, bool) {
	host := ""
	if u, err := url.Parse(baseURL); err == nil {
		host = strings.ToLower(u.Hostname())
	}
	of := modelsOf(host, strings.ToLower(provider))
	name := strings.TrimPrefix(strings.ToLower(model), "models/")
	if m, ok := of[name]; ok {
		return m, true
	}
	m, ok := of[undated(name)]
	return m, ok
}

var dates = lazyregexp.New(`-(20\d{6}|20\d\d-\d\d-\d\d|latest)$`)

// undated is a model's name without the day it was made.
func undated(name string) string { return dates().ReplaceAllString(name, "") }

// known are the models of the providers that were asked for, by host and name.
var known sync.Map

// modelsOf are the models of a provider, by their names in lower case; those with a day in their name by that
// without it, too.
func modelsOf(host, provider string) map[string]Model {
	key := [2]string{host, provider}
	if found, ok := known.Load(key); ok {
		return found.(map[string]Model)
	}
	found := read(func(_, at string) bool { return host != "" && at == host })
	if len(found) == 0 {
		found = read(func(id, _ string) bool { return id == provider })
	}
	known.Store(key, found)
	return found
}

// read are the models of the providers that are wanted. Where several have a model, the first counts.
func read(wanted func(id, host string) bool) map[string]Model {
	out := map[string]Model{}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return out // not reached: a test reads it all
	}
	within, sighted := false, false
	var of []Model
	add := func() {
		for _, m := range of {
			m.Blind = m.Blind || sighted && !m.Sees // of some providers nothing is said of sight
			m.LongAbove = longAbove(strings.ToLower(m.ID))
			for _, name := range []string{strings.ToLower(m.ID), undated(strings.ToLower(m.ID))} {
				if _, there := out[name]; !there {
					out[name] = m
				}
			}
		}
		of, sighted = nil, false
	}
	for lines := bufio.NewScanner(z); lines.Scan(); {
		f := strings.Split(lines.Text(), "\t")
		if f[0] == "@" {
			add()
			within = wanted(f[1], f[2])
			continue
		}
		const fields = 9
		if !within || len(f) != fields {
			continue
		}
		m := Model{ID: strings.Clone(f[0]), Window: int(number(f[1])), Input: number(f[3]), CacheRead: number(f[4]), CacheWrite: number(f[5]), Output: number(f[6]), Reasons: f[7] != "", Sees: f[8] != ""}
		if f[7] != "" && f[7] != "-" {
			m.Efforts = strings.Split(strings.Clone(f[7]), ",")
		}
		of, sighted = append(of, m), sighted || m.Sees
	}
	add()
	for _, a := range added {
		if wanted(a.provider, a.host) {
			of = append(of, a.Model)
		}
	}
	add()
	return out
}

func number(s string) float64 {
	x, _ := strconv.ParseFloat(s, 64) // of our own making
	return x
}

package dialect

import (
	"net/url"
	"slices"
	"strings"
)

// generic is what a provider is called that is only said to speak the protocol: its name says who
// made it where its address does too.
const generic = "openai"

// For is the dialect of an endpoint: that of the provider of its name, else that of its host, else that
// of the maker of its model, else Unknown. A provider called openai that is at another address than
// OpenAI's is any that speaks the protocol.
//
// A model's name does not tell what its endpoint takes back, which gets what it sent, nor which fields of
// the maker's own it knows.
func For(name, baseURL, model string) *Dialect {
	host := hostOf(baseURL)
	name = strings.ToLower(strings.TrimSpace(name))
	byHost := find(func(d *Dialect) bool {
		return slices.ContainsFunc(d.Hosts, func(h string) bool { return host == h || strings.HasSuffix(host, "."+h) })
	})
	byName := find(func(d *Dialect) bool { return d.Name == name || slices.Contains(d.Also, name) })
	if name == generic && (byHost == nil || byHost.Name != generic) {
		byName = nil
	}
	byModel := find(func(d *Dialect) bool {
		return slices.ContainsFunc(d.Models, func(p string) bool { return strings.HasPrefix(PlainModel(model), p) })
	})
	switch {
	case byName != nil:
		return byName
	case byHost != nil:
		return byHost
	case byModel != nil:
		hosted := *byModel
		hosted.Back, hosted.CacheKey, hosted.Documents = nil, "", false
		return &hosted
	}
	return &Unknown
}

// find is the first dialect that fits; nil: none does.
func find(fits func(*Dialect) bool) *Dialect {
	for i := range Dialects {
		if fits(&Dialects[i]) {
			return &Dialects[i]
		}
	}
	return nil
}

func hostOf(baseURL string) string {
	u, err := url.Parse(baseURL)
	if err != nil {
		return ""
	}
	return strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
}

// PlainModel is a model's name without the folders some endpoints put before it, in lower case.
func PlainModel(model string) string {
	model = strings.ToLower(model)
	return model[strings.LastIndexByte(model, '/')+1:]
}

package config

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"chatvault/internal/base/text"
)

// Sources are what the configuration is read from. The zero Sources reads the real environment and the user's file,
// and no vault's.
type Sources struct {
	// Flags are the command line flags by key ("approval"), as typed.
	Flags map[string]string
	// Demo selects the offline engine unless a flag names a model or its address.
	Demo bool
	// LookupEnv reads the environment; nil means os.LookupEnv.
	LookupEnv func(string) (string, bool)
	// UserFile is the user's file, which must exist unless it is UserPath(); empty means UserPath(). Settings made in
	// the program are in SettingsPath(UserFile).
	UserFile string
	// VaultDir is the vault whose file is read; empty means none.
	VaultDir string
	// Home replaces ~; empty means the user's home folder.
	Home string
	// CheckGlob validates a glob of `private`; nil accepts all.
	CheckGlob func(string) error
	// CheckKeys returns the faults in [keys], by action; nil accepts all.
	CheckKeys func(map[string][]string) []BindingFault

	// Chosen returns the model chosen for a vault, or ""; nil means none.
	Chosen func(vaultDir string) (string, error)

	// Agreed reports whether the owner agreed to the content of a vault's file; nil means never.
	Agreed func(vaultDir, name string, file []byte) bool
}

func (in Sources) withDefaults() Sources {
	if in.LookupEnv == nil {
		in.LookupEnv = os.LookupEnv
	}
	if in.Home == "" {
		in.Home, _ = os.UserHomeDir()
	}
	if in.UserFile == "" {
		in.UserFile = UserPath()
	}
	return in
}

// loader applies the layers one after another.
type loader struct {
	in     Sources
	cfg    *Config
	rows   []row  // of cfg
	errs   Errors // all faults
	unused Errors // faults in settings files; the settings are ignored
	agreed bool   // the owner agreed to the vault's file being read
}

// Load reads the configuration. Its error is of type Errors and reports all faults; the Config then has the valid
// settings and the defaults. An invalid value in a settings file is only a warning and ignored, except for what
// protects notes (protects).
func Load(in Sources) (*Config, error) {
	in = in.withDefaults()
	l := load(in, in.files())
	unused := text.Of(l.unused, func(e *Error) string { return e.Error() + "; this setting is not used" })
	l.cfg.Warnings = append(unused, l.cfg.Warnings...)
	if len(l.errs) > 0 {
		return l.cfg, l.errs
	}
	return l.cfg, nil
}

// load reads the configuration from these files.
func load(in Sources, files []file) *loader {
	l := &loader{in: in, cfg: Defaults()}
	l.rows = rowsOf(l.cfg)
	for _, f := range files {
		l.file(f)
	}
	l.chosen()
	l.typed()
	l.settle()
	l.checkBindings()
	return l
}

// Open loads the configuration, finds the vault, and loads the configuration again with the vault's file. The Config
// is never nil. A configuration error precedes one about the vault. find.Given is set by the configuration.
func Open(in Sources, find Search) (*Config, Found, error) {
	in.VaultDir = ""
	cfg, err := Load(in)
	find.Given, find.GivenBy = cfg.Vault.V, cfg.Vault.Origin
	found, findErr := FindVault(find)
	switch {
	case findErr == nil:
		in.VaultDir = found.Dir
		cfg, err = Load(in)
	case err == nil:
		err = findErr
	}
	return cfg, found, err
}

// fault reports an invalid value.
func (l *loader) fault(o Origin, key, format string, args ...any) {
	list := &l.errs
	if o.Kind.ofSettings() && !slices.Contains(protects, key) {
		list = &l.unused
	}
	list.add(o, key, format, args...)
}

func (l *loader) warn(format string, args ...any) {
	l.cfg.Warnings = append(l.cfg.Warnings, fmt.Sprintf(format, args...))
}

// protects are the settings that are never ignored because of a fault: without them the agent could see or do more.
var protects = []string{privateKey, "approval"}

// file applies a file. A settings file with a fault is ignored, unless it protects notes.
func (l *loader) file(f file) {
	list, err := f.nodes()
	switch {
	case err == nil:
	case f.at.Kind.ofSettings():
		l.settingsFault(f, err)
	default:
		l.errs = append(l.errs, err)
	}
	if err != nil || f.data == nil || len(list) == 0 && f.at.Kind.ofSettings() {
		return
	}
	l.cfg.Files = append(l.cfg.Files, f.at.Name)
	l.agreed = f.agreed
	l.nodes(list)
	if f.at.Kind == UserFile && f.open && l.holdsKey() {
		l.warn("%s holds an API key and can be read by other users of this machine; run: chmod 600 %s", f.at.Name, f.at.Name)
	}
}

// settingsFault reports a settings file that cannot be used.
func (l *loader) settingsFault(f file, err error) {
	if slices.ContainsFunc(protects, func(key string) bool { return bytes.Contains(f.data, []byte(key)) }) {
		l.errs.add(f.at, "", "sets what is private or when to ask you, so it is not ignored: fix it, or move it away and set that again (%v)", err)
	} else {
		l.warn("%v, so no setting in it is used; fix it or move it away", err)
	}
}

// holdsKey reports whether the configuration so far contains a literal key.
func (l *loader) holdsKey() bool {
	literal := l.cfg.APIKey.kind == keyLiteral || l.cfg.SmartHole.Token.Set()
	for _, p := range l.cfg.Providers {
		literal = literal || p.Key.kind == keyLiteral
	}
	return literal
}

// nodes applies values of a file, or of a table with rows of its own ("smarthole.url").
func (l *loader) nodes(list []node) {
	for _, n := range list {
		r, known := rowOf(l.rows, n.key())
		switch {
		case l.ignored(n):
		case n.at.Kind.ofVault() && len(n.path) == 1 && r.key != "" && r.vault == never:
			l.fault(n.at, n.key(), "may not be set by the file of a vault; remove the line, and if you want it, set it in %s", l.in.UserFile)
		case r.key != "" && !known:
			if l.wantTable(n, "") {
				l.nodes(n.below)
			}
		case !known:
			l.fault(n.at, n.key(), "unknown key%s", near(n.key(), text.Of(l.rows, func(r row) string { return r.key })))
		case r.holds.table != nil && r.holds.set != nil && !n.isTable():
			l.set(r, n.raw, n.at)
		case r.holds.table != nil:
			r.holds.table(l, n)
			l.cfg.tables = append(l.cfg.tables, n.shown()...)
		default:
			l.set(r, n.raw, n.at)
		}
	}
}

// gone are the settings, and values of settings, of earlier versions that no longer exist, with the reason.
var gone = map[string]string{
	"alt_screen":             "the chat always uses the whole screen",
	"clipboard":              "the chat copies in all ways that work",
	"index_text_megabytes":   "the size is fixed",
	"keys.bottom_when_empty": "bottom has its key",
	"keys.edit_last":         "/edit lists your messages, the last one first",
	"keys.example":           "the key of hold inserts an example",
	"keys.proposal":          "reviews propose nothing any more",
	"keys.top_when_empty":    "top has its key",
	"subagent_model":         "sub-agents use the chat's model",
	"theme = paper":          "auto, dark and light are close",
	"vaults":                 "history is always in your state folder (chatvault doctor shows it); move what .smarthole/ has of it, such as conversations/ and journal/, there",
}

// ignored reports whether a setting is gone, with a warning.
func (l *loader) ignored(n node) bool {
	for _, name := range []string{n.key(), fmt.Sprintf("%s = %v", n.key(), n.raw)} {
		if why := gone[name]; why != "" {
			l.warn("%s: %s is gone and is ignored, because %s; you can remove it", n.at, name, why)
			return true
		}
	}
	return false
}

// set sets a key's value unless it is invalid or forbidden to a vault's file.
func (l *loader) set(r row, raw any, o Origin) {
	if o.Kind.ofVault() && r.vault == agreed && !l.agreed {
		l.cfg.Unagreed = append(l.cfg.Unagreed, Unagreed{r.key, o})
		return
	}
	before := *l.cfg
	was, _ := r.holds.show()
	if err := r.holds.set(raw, o); err != nil {
		l.fault(o, r.key, "%s", err)
		return
	}
	if o.Kind.ofVault() && !l.vaultMay(r, o, &before, was) {
		before.Warnings = l.cfg.Warnings
		*l.cfg = before
	} else if r.key == "model" && !o.Kind.ofVault() {
		l.cfg.OwnModel = l.cfg.Model
	}
}

// vaultMay reports whether a vault's file may set the value that r now has; otherwise it reports a fault. before and
// was are the previous configuration and value.
func (l *loader) vaultMay(r row, o Origin, before *Config, was string) bool {
	is, _ := r.holds.show()
	number := func(s string) int { n, _ := strconv.Atoi(s); return n }
	switch {
	case r.key == "approval" && l.cfg.Approval.V.strength() < before.Approval.V.strength():
		list := &l.errs
		if o.Kind.ofSettings() { // the stronger one applies
			list = &l.unused
		}
		list.add(o, r.key, "the file of a vault may only strengthen approval, and %q is weaker than %q (%s); remove the line", is, was, before.Approval.Origin)
	case r.key == "model" && strings.Contains(is, "/"):
		l.fault(o, r.key, "the file of a vault may name a model, but no provider/model, because that decides where your notes are sent: %q; remove the line, or name the model alone, and if you want that provider, set it in %s",
			is, l.in.UserFile)
	case r.vault == lower && number(is) > number(was):
		l.unused.add(o, r.key, "a vault may only lower it (it is %s), not set it to %s; if you want that, set it in %s", was, is, l.in.UserFile)
	default:
		return true
	}
	return false
}

// chosen applies the model chosen for the vault.
func (l *loader) chosen() {
	if l.in.Chosen == nil || l.in.VaultDir == "" {
		return
	}
	model, err := l.in.Chosen(l.in.VaultDir)
	if err == nil {
		model, err = parseName(model)
	}
	if err != nil {
		l.warn("The model that was chosen for this vault is not known (%s); choose it again with /model.", err)
	}
	if model != "" {
		l.cfg.Chosen = Value[string]{model, Origin{Kind: Chosen}}
	}
}

// variable returns the value of an environment variable, or "" if it is unset or blank.
func (l *loader) variable(name string) string {
	if v, _ := l.in.LookupEnv(name); name != "" && !text.Blank(v) {
		return v
	}
	return ""
}

// typed applies the environment and then the flags.
func (l *loader) typed() {
	// A variable named by api_key_env is more specific than OPENAI_API_KEY, which other programs need.
	hasKey := l.cfg.APIKey.kind == keyEnv && l.variable(l.cfg.APIKey.value.Reveal()) != ""
	for _, kind := range []Kind{Environment, Flag} {
		for _, r := range l.rows {
			o, typed := Origin{Kind: kind, Name: r.env}, l.variable(r.env)
			given := typed != "" && (!hasKey || r.key != "api_key")
			if kind == Flag {
				o.Name = flagName(r.key)
				typed, given = l.in.Flags[r.key]
			}
			if given {
				l.set(r, r.holds.kind.typed(typed), o)
			}
		}
	}
	if c := l.cfg; l.in.Demo && c.Model.Origin.Kind != Flag && c.BaseURL.Origin.Kind != Flag {
		c.Offline = Value[bool]{true, Origin{Kind: Demo}}
	}
}

// settle checks and completes what depends on several keys.
func (l *loader) settle() {
	c := l.cfg
	if v, _ := l.in.LookupEnv("NO_COLOR"); v != "" && c.Theme.V == ThemeAuto {
		c.Theme = Value[string]{ThemeNone, Origin{Kind: Environment, Name: "NO_COLOR"}}
	}
	for _, g := range c.Private {
		if l.in.CheckGlob == nil {
			break
		}
		if err := l.in.CheckGlob(g.V); err != nil {
			l.fault(g.Origin, privateKey, "%s", err)
		}
	}
	c.Vault.V = ExpandHome(c.Vault.V, l.in.Home)
	if v := c.Vault; v.V != "" && v.Origin.Kind <= UserFile && !filepath.IsAbs(v.V) {
		l.fault(v.Origin, "vault", "must be a full path, such as \"~/Notes\", not %q", v.V)
		c.Vault = Value[string]{}
	}
	const insecure = "would send your notes and your key unencrypted over the network; use https://, or 127.0.0.1 or localhost where it runs on this computer, or set allow_insecure = true in your own file if you trust every machine between"
	if IsInsecure(c.BaseURL.V) && !c.AllowInsecure.V {
		l.fault(c.BaseURL.Origin, "base_url", insecure)
		c.BaseURL = Value[string]{}
	}
	l.settleMCP()
	for _, name := range sortedKeys(c.Providers) {
		p := c.Providers[name]
		if IsInsecure(p.BaseURL) && !p.AllowInsecure && !c.AllowInsecure.V {
			l.fault(p.Origin, "providers."+name+".base_url", insecure)
		}
	}
}

// ExpandHome replaces a leading ~ by the home folder, if that is known.
func ExpandHome(path, home string) string {
	rest, ok := strings.CutPrefix(path, "~")
	if !ok || home == "" || rest != "" && rest[0] != '/' && rest[0] != filepath.Separator {
		return path
	}
	return filepath.Join(home, rest)
}

// sortedKeys returns the sorted keys of a map.
func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}

// Error is a fault of the configuration. It never contains a secret.
type Error struct {
	Origin Origin // file and line, variable or flag
	Key    string // dotted, as documented; empty for the whole file
	Text   string // the fault and the fix
}

func (e *Error) Error() string {
	where := e.Origin.String()
	if e.Key == "" || (e.Origin.Kind == Flag && e.Origin.Name == flagName(e.Key)) {
		return where + ": " + e.Text
	}
	return fmt.Sprintf("%s: %s: %s", where, e.Key, e.Text)
}

// Errors are all faults of the configuration, in the order of files and lines.
type Errors []*Error

func (es Errors) Error() string {
	return strings.Join(text.Of(es, (*Error).Error), "\n")
}

func (es *Errors) add(o Origin, key, format string, args ...any) {
	*es = append(*es, &Error{Origin: o, Key: key, Text: fmt.Sprintf(format, args...)})
}

// flagName returns the flag that sets a key.
func flagName(key string) string { return strings.ReplaceAll(key, "_", "-") }

package config

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"chatvault/internal/text"
)

// Sources are where the configuration is read from. The zero Sources reads the real
// environment and the user's file, and no vault's.
type Sources struct {
	// Flags are those given on the command line, by key ("approval"), as typed.
	Flags map[string]string
	// Demo has the offline engine answer, unless a flag names a model or its address.
	Demo bool
	// LookupEnv reads the environment; nil: os.LookupEnv.
	LookupEnv func(string) (string, bool)
	// UserFile is the user's file, which must exist unless it is UserPath(); empty: UserPath(). What was set
	// in the program is in SettingsPath(UserFile).
	UserFile string
	// VaultDir is the vault whose file is read; empty: none.
	VaultDir string
	// Home is what ~ stands for; empty: the user's home folder.
	Home string
	// CheckGlob says what is wrong with a glob of `private`; nil: nothing is with any.
	CheckGlob func(string) error
	// CheckKeys says what is wrong with keys that are bound otherwise, by action; nil: nothing is.
	CheckKeys func(map[string][]string) []BindingFault

	// Chosen is the model that was chosen for a vault, empty where none was (ChosenModel); nil: none
	// ever is.
	Chosen func(vaultDir string) (string, error)

	// Agreed reports whether the vault's owner agreed to what the vault's file of that name holds; nil: to none.
	Agreed func(vaultDir, name string, file []byte) bool
}

func (in Sources) withDefaults() (Sources, bool) {
	if in.LookupEnv == nil {
		in.LookupEnv = os.LookupEnv
	}
	if in.Home == "" {
		in.Home, _ = os.UserHomeDir()
	}
	if in.UserFile == "" {
		in.UserFile = UserPath()
	}
	return in, in.UserFile != UserPath()
}

// loader lays one layer over the other.
type loader struct {
	in     Sources
	cfg    *Config
	rows   []row // of cfg
	errs   Errors
	agreed bool // the owner agreed to the vault's file that is read
}

// Load reads the configuration. When anything is wrong with it the error is of type
// Errors and tells all of it, and the Config holds what was right, over the defaults. A value of the
// settings file that is wrong is left out, with a warning, but for what protects notes (protects).
func Load(in Sources) (*Config, error) {
	in, named := in.withDefaults()
	set := readSettings(in)
	for {
		l := pass(in, named, set)
		i := slices.IndexFunc(l.errs, func(e *Error) bool { return e.Origin.Kind.ofSettings() && !slices.Contains(protects, e.Key) })
		if i >= 0 {
			set.warnings = append(set.warnings, l.errs[i].Error()+"; this setting is not used")
			set = set.without(l.errs[i])
			continue
		}
		l.cfg.Warnings = append(set.warnings, l.cfg.Warnings...)
		l.errs = append(set.errs, l.errs...)
		if len(l.errs) > 0 {
			return l.cfg, l.errs
		}
		return l.cfg, nil
	}
}

// pass loads the configuration once, with the settings given.
func pass(in Sources, named bool, set settings) *loader {
	l := &loader{in: in, cfg: Defaults()}
	l.rows = rowsOf(l.cfg)
	l.settings(set.all, Origin{Kind: SettingsFile, Name: settingsPlace(in, false).path})
	l.userFile(named)
	l.agreed = set.agreed
	l.settings(set.vault, Origin{Kind: VaultSettings, Name: settingsPlace(in, true).path})
	l.vaultFile()
	l.chosen()
	l.environment()
	l.flags()
	l.settle()
	l.checkBindings()
	return l
}

// Open loads the configuration, finds the vault it leads to, and loads again with the
// vault's file. The Config is never nil; a configuration error comes before one about
// the vault. find.Given is set by the configuration.
func Open(in Sources, find Search) (*Config, Found, error) {
	in.VaultDir = ""
	cfg, err := Load(in)
	find.Given, find.GivenBy = cfg.Vault.V, cfg.Vault.Origin
	found, findErr := FindVault(find)
	if findErr != nil {
		if err != nil {
			return cfg, found, err
		}
		return cfg, found, findErr
	}
	in.VaultDir = found.Dir
	cfg, err = Load(in)
	return cfg, found, err
}

func (l *loader) userFile(named bool) {
	o := Origin{Kind: UserFile, Name: l.in.UserFile}
	data, open, err := readUserFile(l.in.UserFile, named)
	if err != nil {
		l.errs.add(o, "", "%s", err)
	}
	if data == nil {
		return
	}
	l.file(data, o)
	if open && l.holdsKey() {
		l.cfg.Warnings = append(l.cfg.Warnings,
			o.Name+" holds an API key and can be read by other users of this machine; run: chmod 600 "+o.Name)
	}
}

// settings lays what was set in the program over what is there.
func (l *loader) settings(entries []entry, o Origin) {
	if len(entries) > 0 {
		l.cfg.Files = append(l.cfg.Files, o.Name)
	}
	l.entries(entries, o)
}

// holdsKey says whether a key itself stands in the file.
func (l *loader) holdsKey() bool {
	if l.cfg.APIKey.kind == keyLiteral || l.cfg.SmartHole.Token.Set() {
		return true
	}
	for _, p := range l.cfg.Providers {
		if p.Key.kind == keyLiteral {
			return true
		}
	}
	return false
}

func (l *loader) vaultFile() {
	if l.in.VaultDir == "" {
		return
	}
	o := Origin{Kind: VaultFile, Name: VaultPath(l.in.VaultDir)}
	data, err := readVaultFile(l.in.VaultDir, vaultConfig)
	if err != nil {
		l.errs.add(o, "", "%s", err)
	}
	if data == nil {
		return
	}
	l.agreed = l.in.Agreed != nil && l.in.Agreed(l.in.VaultDir, vaultConfig, data)
	l.file(data, o)
}

// file lays a file over what is there.
func (l *loader) file(data []byte, o Origin) {
	entries, bad := parseTOML(data, o)
	if bad != nil {
		l.errs = append(l.errs, bad)
		return
	}
	l.cfg.Files = append(l.cfg.Files, o.Name)
	l.entries(entries, o)
}

// entries lays the entries of a file over what is there.
func (l *loader) entries(entries []entry, o Origin) {
	keyAt := 0 // line of the first api_key*
	for _, e := range entries {
		at := o
		at.Line = e.line
		top := e.path[0]
		if l.retired(top, at) {
			continue
		}
		if why := forbidden(l.rows, top); why != "" && o.Kind.ofVault() {
			if len(e.path) == 1 {
				l.errs.add(at, top, "may not be set by the file of a vault, %s; remove the line, and if you want it, set it in %s", why, l.in.UserFile)
			}
			continue
		}
		r, ok := rowOf(l.rows, top)
		switch {
		case r.holds.entry != nil && o.Kind.ofSettings():
			l.errs.add(at, top, "is a table of config.toml alone")
		case r.holds.entry != nil:
			faults := len(l.errs)
			r.holds.entry(l, e, at)
			if _, isTable := e.raw.(map[string]any); !isTable && len(l.errs) == faults {
				l.cfg.tables = append(l.cfg.tables, e.shown(at))
			}
		case r.key != "" && !ok:
			l.section(e, at)
		case len(e.path) > 1:
			// Below a key that was refused as a whole.
		case !ok:
			l.errs.add(at, e.key(), "unknown key%s", near(top, l.knownKeys()))
		default:
			if _, isKey := keyKinds[top]; isKey {
				if keyAt != 0 {
					l.errs.add(at, top, "set only one of api_key, api_key_env and api_key_command; another stands in line %d", keyAt)
					continue
				}
				keyAt = e.line
			}
			l.set(r, e.raw, at)
		}
	}
}

// set gives one key its value, unless that is bad or not for a vault's file to say.
func (l *loader) set(f row, raw any, o Origin) {
	if o.Kind.ofVault() && f.vault == agreed && !l.agreed {
		l.cfg.Unagreed = append(l.cfg.Unagreed, Unagreed{f.key, o})
		return
	}
	approval, model := l.cfg.Approval, l.cfg.Model
	before, origin := f.holds.show()
	if err := f.holds.set(raw, o); err != nil {
		l.errs.add(o, f.key, "%s", err)
		return
	}
	if o.Kind.ofVault() && l.cfg.Approval.V.strength() < approval.V.strength() {
		weaker := &Error{o, f.key, fmt.Sprintf("the file of a vault may only strengthen approval, and %q is weaker than %q (%s); remove the line",
			l.cfg.Approval.V, approval.V, approval.Origin)}
		if o.Kind == VaultFile {
			l.errs = append(l.errs, weaker)
		} else { // the stronger one is in force
			l.cfg.Warnings = append(l.cfg.Warnings, weaker.Error())
		}
		l.cfg.Approval = approval
	}
	if o.Kind.ofVault() && f.vault == lower {
		l.onlyLower(f, before, origin)
	}
	if f.key == "model" {
		l.setModel(model, o)
	}
	if f.key == privateKey {
		l.checkPrivate(o)
	}
}

// onlyLower takes a number back that a vault's file raised.
func (l *loader) onlyLower(f row, before string, origin Origin) {
	after, o := f.holds.show()
	is, _ := strconv.Atoi(after) // numbers, as every value is that may be lowered
	if was, _ := strconv.Atoi(before); is <= was {
		return
	}
	_ = f.holds.set(word(before), origin) // it was right before
	l.cfg.Warnings = append(l.cfg.Warnings, fmt.Sprintf("%s: %s = %s of this vault is not used, because a vault may only lower it (it is %s); if you want that, set it in %s",
		o, f.key, after, before, l.in.UserFile))
}

// setModel keeps a vault's file from choosing with the model who gets the notes.
func (l *loader) setModel(before Value[string], o Origin) {
	switch {
	case !o.Kind.ofVault():
		l.cfg.OwnModel = l.cfg.Model
	case strings.Contains(l.cfg.Model.V, "/"):
		l.errs.add(o, "model", "the file of a vault may name a model, but no provider/model, because that decides where your notes are sent: %q; remove the line, or name the model alone, and if you want that provider, set it in %s",
			l.cfg.Model.V, l.in.UserFile)
		l.cfg.Model = before
	}
}

// retired reports whether a key named a setting that is gone, and warns about the first one given.
func (l *loader) retired(key string, o Origin) bool {
	if key != "alt_screen" {
		return false
	}
	const about = "alt_screen is gone and is ignored, because the chat always uses the whole screen; you can remove it"
	if !slices.ContainsFunc(l.cfg.Warnings, func(w string) bool { return strings.HasSuffix(w, about) }) {
		l.cfg.Warnings = append(l.cfg.Warnings, o.String()+": "+about)
	}
	return true
}

func (l *loader) environment() {
	const old = "CHATVAULT_ALT_SCREEN"
	if text, _ := l.in.LookupEnv(old); strings.TrimSpace(text) != "" {
		l.retired("alt_screen", Origin{Kind: Environment, Name: old})
	}
	for _, f := range l.rows {
		if f.env == "" {
			continue
		}
		text, _ := l.in.LookupEnv(f.env)
		if strings.TrimSpace(text) == "" {
			continue
		}
		if f.key == "api_key" && l.namedVariable() {
			continue
		}
		l.set(f, word(text), Origin{Kind: Environment, Name: f.env})
	}
}

// namedVariable says whether api_key_env names a variable that is set: that is the
// environment too, and says more than OPENAI_API_KEY, which other programs want set.
func (l *loader) namedVariable() bool {
	if l.cfg.APIKey.kind != keyEnv {
		return false
	}
	text, _ := l.in.LookupEnv(l.cfg.APIKey.name)
	return strings.TrimSpace(text) != ""
}

func (l *loader) flags() {
	for _, key := range sortedKeys(l.in.Flags) {
		o := Origin{Kind: Flag, Name: flagName(key)}
		if l.retired(key, o) {
			continue
		}
		f, ok := rowOf(l.rows, key)
		if !ok {
			l.errs.add(o, key, "does not name a setting")
			continue
		}
		l.set(f, word(l.in.Flags[key]), o)
	}
	if c := l.cfg; l.in.Demo && c.Model.Origin.Kind != Flag && c.BaseURL.Origin.Kind != Flag {
		c.Offline = Value[bool]{true, Origin{Kind: Demo}}
	}
}

// settle checks and completes what needs more than one key.
func (l *loader) settle() {
	c := l.cfg
	if v, _ := l.in.LookupEnv("NO_COLOR"); v != "" && c.Theme.V == ThemeAuto {
		c.Theme = Value[string]{ThemeNone, Origin{Kind: Environment, Name: "NO_COLOR"}}
	}
	if c.Vault.V != "" {
		c.Vault.V = ExpandHome(c.Vault.V, l.in.Home)
		if c.Vault.Origin.Kind <= UserFile && !filepath.IsAbs(c.Vault.V) {
			l.errs.add(c.Vault.Origin, "vault", "must be a full path, such as \"~/Notes\", not %q", c.Vault.V)
		}
	}
	const insecure = "would send your notes and your key unencrypted over the network; use https://, or 127.0.0.1 or localhost where it runs on this computer, or set allow_insecure = true in your own file if you trust every machine between"
	if IsInsecure(c.BaseURL.V) && !c.AllowInsecure.V {
		l.errs.add(c.BaseURL.Origin, "base_url", insecure)
	}
	l.settleMCP()
	for _, name := range sortedKeys(c.Providers) {
		p := c.Providers[name]
		if IsInsecure(p.BaseURL) && !p.AllowInsecure && !c.AllowInsecure.V {
			l.errs.add(p.baseURLOrigin, "providers."+name+".base_url", insecure)
		}
	}
}

// ExpandHome is a path with a home folder, where one is known, for the ~ that it begins with.
func ExpandHome(path, home string) string {
	rest, ok := strings.CutPrefix(path, "~")
	if !ok || home == "" || rest != "" && rest[0] != '/' && rest[0] != filepath.Separator {
		return path
	}
	return filepath.Join(home, rest)
}

// knownKeys are the keys that a line of a file can begin with.
func (l *loader) knownKeys() []string {
	keys := make([]string, len(l.rows))
	for i, r := range l.rows {
		keys[i], _, _ = strings.Cut(r.key, ".")
	}
	return keys
}

// sortedKeys are the keys of a map in their order.
func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}

// Error is one thing wrong with the configuration. It never holds the value of a
// secret.
type Error struct {
	Origin Origin // file and line, variable or flag
	Key    string // dotted, as the documentation names it; empty for the file as a whole
	Text   string // what is wrong and what to do
}

func (e *Error) Error() string {
	where := e.Origin.String()
	if e.Key == "" || (e.Origin.Kind == Flag && e.Origin.Name == flagName(e.Key)) {
		return where + ": " + e.Text
	}
	return fmt.Sprintf("%s: %s: %s", where, e.Key, e.Text)
}

// Errors are all the things wrong with the configuration, in the order of the files
// and their lines. errors.As finds each *Error.
type Errors []*Error

func (es Errors) Error() string {
	return strings.Join(text.Of(es, (*Error).Error), "\n")
}

// Unwrap lets errors.As reach the single errors.
func (es Errors) Unwrap() []error {
	list := make([]error, len(es))
	for i, e := range es {
		list[i] = e
	}
	return list
}

// add appends an error.
func (es *Errors) add(o Origin, key, format string, args ...any) {
	*es = append(*es, &Error{Origin: o, Key: key, Text: fmt.Sprintf(format, args...)})
}

// flagName is the flag that sets a key.
func flagName(key string) string { return strings.ReplaceAll(key, "_", "-") }

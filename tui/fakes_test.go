package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"chatvault/agent/event"
	"chatvault/internal/app/config"
	"chatvault/internal/app/session"
	"chatvault/internal/app/session/provider"
	"chatvault/internal/base/prosediff"
)

// Fakes of the screen's dependencies, one per interface. A test sets the functions it needs; the others do nothing.

// of returns the fake in an option and creates it if necessary.
func of[F any, N any](noun *N) *F {
	if f, ok := any(*noun).(*F); ok {
		return f
	}
	f := new(F)
	*noun = any(f).(N)
	return f
}

func inboxOf(o *Options) *fakeInbox               { return of[fakeInbox](&o.Inbox) }
func goalOf(o *Options) *fakeGoal                 { return of[fakeGoal](&o.Goal) }
func conversationOf(o *Options) *fakeConversation { return of[fakeConversation](&o.Conversation) }
func copyingOf(o *Options) *fakeCopying           { return of[fakeCopying](&o.Copying) }
func draftsOf(o *Options) *fakeDrafts             { return of[fakeDrafts](&o.Drafts) }
func settingsOf(o *Options) *fakeSettings         { return of[fakeSettings](&o.Settings) }
func completingOf(o *Options) *fakeVault          { return of[fakeVault](&o.Completing) }
func usageOf(o *Options) *fakeUsage               { return of[fakeUsage](&o.Usage) }

type fakeInbox struct {
	list  func(ctx context.Context) ([]session.Unfinished, error)
	retry func(ctx context.Context, id string) error
	drop  func(ctx context.Context, id string) error
	open  func(ctx context.Context, id string) (session.Page, error)
}

func (f *fakeInbox) List(ctx context.Context) ([]session.Unfinished, error) {
	if f.list == nil {
		return nil, nil
	}
	return f.list(ctx)
}

func (f *fakeInbox) Retry(ctx context.Context, id string) error {
	if f.retry == nil {
		return nil
	}
	return f.retry(ctx, id)
}

func (f *fakeInbox) Open(ctx context.Context, id string) (session.Page, error) {
	if f.open == nil {
		return session.Page{}, nil
	}
	return f.open(ctx, id)
}

func (f *fakeInbox) Drop(ctx context.Context, id string) error {
	if f.drop == nil {
		return nil
	}
	return f.drop(ctx, id)
}

type fakeGoal struct {
	set    func(text string) (event.Goal, error)
	resume func() error
}

func (f *fakeGoal) SetGoal(text string) (event.Goal, error) {
	if f.set == nil {
		return event.Goal{}, nil
	}
	return f.set(text)
}

func (f *fakeGoal) ResumeGoal() error {
	if f.resume == nil {
		return nil
	}
	return f.resume()
}

type fakeUsage struct {
	usage func() (conversation, day event.Totals, err error)
}

func (f *fakeUsage) Usage() (conversation, day event.Totals, err error) {
	if f.usage == nil {
		return conversation, day, nil
	}
	return f.usage()
}

type fakeConversation struct {
	earlier    func(ctx context.Context, before string, all bool) (session.Page, error)
	begin      func(ctx context.Context) error
	history    func(ctx context.Context) ([]session.HistoryItem, error)
	transcript func(ctx context.Context) (string, error)
	fork       func(ctx context.Context, id string) (session.Moved, error)
	branches   func(ctx context.Context) ([]session.Branch, error)
	change     func(ctx context.Context, id string) (session.Moved, error)
	compact    func() error
	retrospect func() error
	leave      func() error
	export     func(ctx context.Context, file string) (string, error)
}

func (f *fakeConversation) Earlier(ctx context.Context, before string, all bool) (session.Page, error) {
	if f.earlier == nil {
		return session.Page{}, nil
	}
	return f.earlier(ctx, before, all)
}

func (f *fakeConversation) New(ctx context.Context) error {
	if f.begin == nil {
		return nil
	}
	return f.begin(ctx)
}

func (f *fakeConversation) History(ctx context.Context) ([]session.HistoryItem, error) {
	if f.history == nil {
		return nil, nil
	}
	return f.history(ctx)
}

func (f *fakeConversation) Transcript(ctx context.Context) (string, error) {
	if f.transcript == nil {
		return "", nil
	}
	return f.transcript(ctx)
}

func (f *fakeConversation) Fork(ctx context.Context, id string) (session.Moved, error) {
	if f.fork == nil {
		return session.Moved{}, nil
	}
	return f.fork(ctx, id)
}

func (f *fakeConversation) Branches(ctx context.Context) ([]session.Branch, error) {
	if f.branches == nil {
		return nil, nil
	}
	return f.branches(ctx)
}

func (f *fakeConversation) Switch(ctx context.Context, id string) (session.Moved, error) {
	if f.change == nil {
		return session.Moved{}, nil
	}
	return f.change(ctx, id)
}

func (f *fakeConversation) Compact() error {
	if f.compact == nil {
		return nil
	}
	return f.compact()
}

func (f *fakeConversation) Retrospect() error {
	if f.retrospect == nil {
		return nil
	}
	return f.retrospect()
}

func (f *fakeConversation) LeaveQuestion() error {
	if f.leave == nil {
		return nil
	}
	return f.leave()
}

func (f *fakeConversation) ExportActive(ctx context.Context, file string) (string, error) {
	if f.export == nil {
		return "", nil
	}
	return f.export(ctx, file)
}

type fakeConversations struct {
	list   func(ctx context.Context) ([]session.Past, error)
	search func(ctx context.Context, query string) ([]session.Past, error)
	read   func(ctx context.Context, id string) ([]session.HistoryItem, error)
	goOn   func(ctx context.Context, id string) (session.Page, error)
	rename func(ctx context.Context, id string, title string) error
	remove func(ctx context.Context, id string) error
	export func(ctx context.Context, id string) (string, error)
}

func (f *fakeConversations) List(ctx context.Context) ([]session.Past, error) {
	if f.list == nil {
		return nil, nil
	}
	return f.list(ctx)
}

func (f *fakeConversations) Search(ctx context.Context, query string) ([]session.Past, error) {
	if f.search == nil {
		return nil, nil
	}
	return f.search(ctx, query)
}

func (f *fakeConversations) Read(ctx context.Context, id string) ([]session.HistoryItem, error) {
	if f.read == nil {
		return nil, nil
	}
	return f.read(ctx, id)
}

func (f *fakeConversations) Continue(ctx context.Context, id string) (session.Page, error) {
	if f.goOn == nil {
		return session.Page{}, nil
	}
	return f.goOn(ctx, id)
}

func (f *fakeConversations) Rename(ctx context.Context, id string, title string) error {
	if f.rename == nil {
		return nil
	}
	return f.rename(ctx, id, title)
}

func (f *fakeConversations) Delete(ctx context.Context, id string) error {
	if f.remove == nil {
		return nil
	}
	return f.remove(ctx, id)
}

func (f *fakeConversations) Export(ctx context.Context, id string) (string, error) {
	if f.export == nil {
		return "", nil
	}
	return f.export(ctx, id)
}

type fakeCopying struct {
	picture func(ctx context.Context) ([]byte, error)
	put     func(ctx context.Context, text string) (session.Copied, error)
}

func (f *fakeCopying) Copy(ctx context.Context, text string) (session.Copied, error) {
	if f.put == nil {
		return session.Copied{}, nil
	}
	return f.put(ctx, text)
}

func (f *fakeCopying) Picture(ctx context.Context) ([]byte, error) {
	if f.picture == nil {
		return nil, errors.New("the clipboard holds no picture")
	}
	return f.picture(ctx)
}

type fakeRouting struct {
	on      func() error
	off     func()
	status  session.RouteStatus
	changes func(ctx context.Context) <-chan session.RouteStatus
}

func (f *fakeRouting) Status() session.RouteStatus { return f.status }

func (f *fakeRouting) On() error {
	if f.on == nil {
		return nil
	}
	return f.on()
}

func (f *fakeRouting) Off() {
	if f.off == nil {
		return
	}
	f.off()
}

func (f *fakeRouting) Changes(ctx context.Context) <-chan session.RouteStatus {
	if f.changes == nil {
		return nil
	}
	return f.changes(ctx)
}

type fakeDrafts struct {
	save func(text string)
}

func (f *fakeDrafts) Save(text string) {
	if f.save != nil {
		f.save(text)
	}
}

type fakeVault struct {
	files    func(ctx context.Context) ([]session.VaultFile, error)
	said     func(ctx context.Context) (session.NoteWords, error)
	headings func(ctx context.Context, note string) ([]string, error)
	find     func(ctx context.Context, paths []string) (map[string]session.VaultFile, error)
	locate   func(ctx context.Context, dropped string) (session.VaultFile, string)
}

func (f *fakeVault) Files(ctx context.Context) ([]session.VaultFile, error) {
	if f.files == nil {
		return nil, nil
	}
	return f.files(ctx)
}

func (f *fakeVault) Said(ctx context.Context) (session.NoteWords, error) {
	if f.said == nil {
		return session.NoteWords{}, nil
	}
	return f.said(ctx)
}

func (f *fakeVault) Headings(ctx context.Context, note string) ([]string, error) {
	if f.headings == nil {
		return nil, nil
	}
	return f.headings(ctx, note)
}

func (f *fakeVault) Find(ctx context.Context, paths []string) (map[string]session.VaultFile, error) {
	if f.find == nil {
		return nil, nil
	}
	return f.find(ctx, paths)
}

func (f *fakeVault) Locate(ctx context.Context, dropped string) (session.VaultFile, string) {
	if f.locate == nil {
		return session.VaultFile{}, ""
	}
	return f.locate(ctx, dropped)
}

func (f *fakeVault) Bring(_ context.Context, name string, data []byte) (session.VaultFile, error) {
	return session.VaultFile{Path: name + ".png", Size: int64(len(data))}, nil
}

// fakeProcessor records the screen's calls; a test plays the agent.
type fakeProcessor struct {
	mu           sync.Mutex
	sent         []event.Inbound
	stops        int
	refuse       error
	panics       bool
	onStop       func()
	onSubmit     func(event.Inbound)
	gone         map[string]bool // cannot be taken back
	answers      []answered
	refuseAnswer error // error for answers
	events       chan event.Event
	closed       chan struct{}
	once         sync.Once
}

// answered is an answer to a request.
type answered struct {
	ID string
	event.Answer
}

func newFake() *fakeProcessor {
	return &fakeProcessor{events: make(chan event.Event, 1000), closed: make(chan struct{}), gone: map[string]bool{}}
}

func (f *fakeProcessor) Submit(_ context.Context, m event.Inbound) (event.Inbound, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.panics {
		panic("a fault in a command")
	}
	if f.refuse != nil {
		return m, f.refuse
	}
	m.ID = fmt.Sprintf("m%d", len(f.sent)+1)
	m.Time = time.Now()
	f.sent = append(f.sent, m)
	if f.onSubmit != nil {
		f.onSubmit(m)
	}
	return m, nil
}

func (f *fakeProcessor) Stop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stops++
	if f.onStop != nil {
		f.onStop()
	}
}

func (f *fakeProcessor) TakeBack(id string) (event.Inbound, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return event.Inbound{ID: id}, !f.gone[id]
}

func (f *fakeProcessor) Answer(id string, a event.Answer) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.refuseAnswer != nil {
		return f.refuseAnswer
	}
	f.answers = append(f.answers, answered{ID: id, Answer: a})
	return nil
}

func (f *fakeProcessor) Next(ctx context.Context) ([]event.Event, error) {
	select {
	case e := <-f.events:
		return []event.Event{e}, nil
	case <-f.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (f *fakeProcessor) Close() { f.once.Do(func() { close(f.closed) }) }

func (f *fakeProcessor) stopped() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.stops
}

// keptPrompts is a prompt history in memory.
type keptPrompts struct{ texts []string }

func (k *keptPrompts) Load() []string     { return nil }
func (k *keptPrompts) Append(text string) { k.texts = append(k.texts, text) }

// fakeSettings is a configuration in memory.
type fakeSettings struct {
	list  []session.Setting
	set   []string
	wrong []string
}

func newFakeSettings() *fakeSettings {
	return &fakeSettings{list: []session.Setting{
		{Key: "theme", Group: "Screen", About: "The colours", Kind: config.KindChoice, Choices: []string{"auto", "dark", "light"}, Value: "dark", Shown: "dark", Origin: "yours", Set: true, InVault: true, AtOnce: true},
		{Key: "mouse", Group: "Screen", About: "Wheel and clicks", Kind: config.KindSwitch, Value: "false", Shown: "false", Origin: "default", InVault: true, AtOnce: true},
		{Key: "model", Group: "Model", About: "A model's name", Kind: config.KindText, Value: "attic/big", Shown: "attic/big", Origin: "--model", Set: true, From: config.Origin{Kind: config.Flag, Name: "model"}, InVault: true},
		{Key: "api_key", Group: "Model", About: "The key itself", Kind: config.KindFixed, Shown: "(hidden)", Origin: "yours", Set: true},
		{Key: "approval", Group: "Agent", About: "What waits for your consent", Kind: config.KindChoice, Choices: []string{"off", "writes"}, Means: []string{"nothing waits", "every change"}, Value: "writes", Shown: "writes", Origin: "this vault's", Set: true, InVault: true, ByVault: true},
		{Key: "private", Group: "Agent", About: "Globs of notes that the agent may not see", Kind: config.KindList, Origin: "default", InVault: true},
		{Key: "journal_days", Group: "Vault", About: "Days that a change can be taken back", Kind: config.KindNumber, Value: "30", Shown: "30", Origin: "default"},
	}}
}

func (f *fakeSettings) options(o *Options) {
	o.Settings = f
}

func (f *fakeSettings) List(context.Context) ([]session.Setting, []string) {
	return append([]session.Setting{}, f.list...), f.wrong
}

func (f *fakeSettings) Set(_ context.Context, key string, typed *string, inVault bool) (string, error) {
	value := "–"
	if typed != nil {
		value = *typed
	}
	if value == "none" {
		return "", errors.New("must be a whole number from 1 to 36500, not \"none\"")
	}
	where := "yours"
	if inVault {
		where = "this vault's"
	}
	f.set = append(f.set, fmt.Sprintf("%s=%s %s", key, value, where))
	for i := range f.list {
		if f.list[i].Key == key {
			f.list[i].Value, f.list[i].Shown, f.list[i].Origin = value, value, where
		}
	}
	return "kept", nil
}

// fakeModels records the selected models. The test supplies the providers' answers.
type fakeModels struct {
	effort  string
	efforts []string
	used    []string
	keys    []string
	refuse  error
	lists   map[string][]provider.ModelChoice
	errs    map[string]error
	lacks   bool // the OpenAI key is missing
}

func (f *fakeModels) options(o *Options) { o.Provider, o.Models = "attic/big", f }

func (f *fakeModels) Sources() []provider.ModelSource {
	openai := provider.ModelSource{ID: "openai", Title: "OpenAI", Key: "OPENAI_API_KEY", KeyGoes: "It is sent to https://api.openai.com and nowhere else.", Lacks: f.lacks, Keyed: !f.lacks, Asks: !f.lacks}
	return []provider.ModelSource{
		{ID: "attic", Title: "attic", Asks: true, Choices: []provider.ModelChoice{{Name: "attic/big", Here: true}}},
		{ID: "cellar", Title: "cellar", Asks: true},
		openai,
		{ID: "offline", Title: "Offline engine", Choices: []provider.ModelChoice{{Name: "offline", Label: "offline engine", About: "no key, no network"}}},
	}
}

func (f *fakeModels) List(_ context.Context, id string) ([]provider.ModelChoice, error) {
	return f.lists[id], f.errs[id]
}

func (f *fakeModels) Use(name string) (provider.ModelUsed, error) {
	if f.refuse != nil {
		return provider.ModelUsed{}, f.refuse
	}
	f.used = append(f.used, name)
	return provider.ModelUsed{Name: name, Offline: name == "offline", Said: "kept for this vault"}, nil
}

func (f *fakeModels) GiveKey(_ context.Context, id, key string) (string, error) {
	if strings.Contains(key, " ") {
		return "", errors.New("the key is not a key: it holds a space")
	}
	f.keys, f.lacks = append(f.keys, id+"="+key), false
	f.lists[id] = []provider.ModelChoice{{Name: "openai/fresh"}}
	return "The key is stored in the keyring", nil
}

func (f *fakeModels) Fixed() string { return "" }

func (f *fakeModels) Effort() string              { return f.effort }
func (f *fakeModels) Efforts() (string, []string) { return "openai/gpt-5.2", f.efforts }
func (f *fakeModels) UseEffort(e string) (string, error) {
	f.effort = e
	return "It reasons with effort " + e + ".", nil
}

func newFakeModels() *fakeModels {
	return &fakeModels{
		lacks: true,
		lists: map[string][]provider.ModelChoice{"attic": {{Name: "attic/big", Here: true, About: "272k tokens · $3 in, $15 out"}, {Name: "attic/small", About: "8k tokens"}}},
		errs:  map[string]error{"cellar": errors.New("nothing answers at 127.0.0.1:9 (connection refused)")},
	}
}

// undoing is a change log in memory.
type undoing struct {
	since []session.ChangedTurn // made since any time
	turns []session.ChangedTurn
	asked []string // ids that were undone, and "redo" for each redo
	end   session.Undone
	err   error
}

func newUndoing(now time.Time) *undoing {
	return &undoing{
		turns: []session.ChangedTurn{
			{
				ID: "t3", Title: "sort the recipes into folders", Time: now.Add(-5 * time.Minute),
				Changes: []string{"moved Tart.md to Recipes/Tart.md, with 4 links in 3 notes", "moved Jam.md to Recipes/Jam.md", "created Recipes/Index.md", "edited Home.md", "deleted Old list.md"},
				Back:    []string{"Recipes/Tart.md moves back to Tart.md, with 4 links in 3 notes", "Recipes/Jam.md moves back to Jam.md", "Recipes/Index.md goes away", "Home.md is restored", "Old list.md comes back"},
			},
			{ID: "t2", Title: "rename the tart", Time: now.Add(-24 * time.Hour), Changes: []string{"edited Tart.md"}, Back: []string{"Tart.md becomes as it was"}, Undone: true, Source: "ask"},
			{ID: "t1", Time: now.Add(-48 * time.Hour), Changes: []string{"created Tart.md"}, Back: []string{"Tart.md goes away"}, Source: "tool"},
		},
		end: session.Undone{Title: "sort the recipes into folders", Lines: []string{"restored Old list.md", "moved Recipes/Tart.md back to Tart.md, with 4 links in 3 notes"}},
	}
}

func (u *undoing) options(o *Options) {
	o.Changes = u
}

func (u *undoing) List(context.Context) ([]session.ChangedTurn, error) { return u.turns, u.err }

func (u *undoing) Show(context.Context, string) ([]session.ShownChange, error) {
	return []session.ShownChange{
		{What: "edited Home.md", Prose: prosediff.Compare("# Home\n\nThe tart is best.\n", "# Home\n\nThe tart is better than the jam.\n")},
		{What: "created Recipes/Index.md", Prose: prosediff.Compare("", "# Index\n\n- [[Tart]]\n")},
		{What: "deleted Big.md", Note: "Too long to be shown."},
	}, u.err
}

func (u *undoing) Undo(_ context.Context, id string) (session.Undone, error) {
	u.asked = append(u.asked, id)
	return u.end, u.err
}

func (u *undoing) Since(context.Context, time.Time) ([]session.ChangedTurn, error) {
	return u.since, u.err
}

func (u *undoing) UndoSince(_ context.Context, from time.Time) (session.Undone, error) {
	u.asked = append(u.asked, "since "+from.Format(time.TimeOnly))
	return u.end, u.err
}

func (u *undoing) Redo(context.Context) (session.Undone, error) {
	u.asked = append(u.asked, "redo")
	return u.end, u.err
}

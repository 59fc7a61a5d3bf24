package tui

import (
	"context"

	"chatvault/agent/event"
	"chatvault/internal/session"
)

// What the screen is made from, a noun each: a test sets what it is about, the rest does nothing.

// of is the fake that an option is, or becomes.
func of[F any, N any](noun *N) *F {
	if f, ok := any(*noun).(*F); ok {
		return f
	}
	f := new(F)
	*noun = any(f).(N)
	return f
}

func inboxOf(o *Options) *fakeInbox                 { return of[fakeInbox](&o.Inbox) }
func goalOf(o *Options) *fakeGoal                   { return of[fakeGoal](&o.Goal) }
func conversationOf(o *Options) *fakeConversation   { return of[fakeConversation](&o.Conversation) }
func conversationsOf(o *Options) *fakeConversations { return of[fakeConversations](&o.Conversations) }
func copyingOf(o *Options) *fakeCopying             { return of[fakeCopying](&o.Copying) }
func draftsOf(o *Options) *fakeDrafts               { return of[fakeDrafts](&o.Drafts) }
func settingsOf(o *Options) *fakeSettings           { return of[fakeSettings](&o.Settings) }
func completingOf(o *Options) *fakeVault            { return of[fakeVault](&o.Completing) }
func usageOf(o *Options) *fakeUsage                 { return of[fakeUsage](&o.Usage) }

type fakeInbox struct {
	list  func(ctx context.Context) ([]session.Unfinished, error)
	retry func(ctx context.Context, id string) error
	drop  func(ctx context.Context, id string) error
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
	usage   func() (conversation, day event.Totals, err error)
	context func() (tokens, window int)
	costs   func() (event.Costs, error)
}

func (f *fakeUsage) Usage() (conversation, day event.Totals, err error) {
	if f.usage == nil {
		return conversation, day, nil
	}
	return f.usage()
}

func (f *fakeUsage) Context() (tokens, window int) {
	if f.context == nil {
		return 0, 0
	}
	return f.context()
}

func (f *fakeUsage) Costs() (event.Costs, error) {
	if f.costs == nil {
		return event.Costs{}, nil
	}
	return f.costs()
}

type fakeConversation struct {
	earlier    func(ctx context.Context, before string, all bool) (session.Page, error)
	before     func(conversation string, turn string) string
	external   func(ctx context.Context, again bool) (session.Page, bool, error)
	begin      func(ctx context.Context) error
	history    func(ctx context.Context) ([]session.HistoryItem, error)
	transcript func(ctx context.Context) (string, error)
	fork       func(ctx context.Context, id string) (session.Moved, error)
	reach      func(ctx context.Context, id string) (session.Reach, error)
	forkBack   func(ctx context.Context, id string, turns []string) (session.Moved, error)
	branches   func(ctx context.Context) ([]session.Branch, error)
	change     func(ctx context.Context, id string) (session.Moved, error)
	compact    func() error
	retrospect func() error
	export     func(ctx context.Context, file string) (string, error)
}

func (f *fakeConversation) Earlier(ctx context.Context, before string, all bool) (session.Page, error) {
	if f.earlier == nil {
		return session.Page{}, nil
	}
	return f.earlier(ctx, before, all)
}

func (f *fakeConversation) Before(conversation string, turn string) string {
	if f.before == nil {
		return ""
	}
	return f.before(conversation, turn)
}

func (f *fakeConversation) ExternalChange(ctx context.Context, again bool) (session.Page, bool, error) {
	if f.external == nil {
		return session.Page{}, false, nil
	}
	return f.external(ctx, again)
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

func (f *fakeConversation) Reach(ctx context.Context, id string) (session.Reach, error) {
	if f.reach == nil {
		return session.Reach{}, nil
	}
	return f.reach(ctx, id)
}

func (f *fakeConversation) ForkBack(ctx context.Context, id string, turns []string) (session.Moved, error) {
	if f.forkBack == nil {
		return session.Moved{}, nil
	}
	return f.forkBack(ctx, id, turns)
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
	put func(ctx context.Context, text string) (session.Copied, error)
}

func (f *fakeCopying) Copy(ctx context.Context, text string) (session.Copied, error) {
	if f.put == nil {
		return session.Copied{}, nil
	}
	return f.put(ctx, text)
}

type fakeRouting struct {
	on      func() error
	off     func()
	changes func(ctx context.Context) <-chan session.RouteStatus
}

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
	save      func(text string)
	saveFolds func(folds []string)
}

func (f *fakeDrafts) Save(text string) {
	if f.save != nil {
		f.save(text)
	}
}

func (f *fakeDrafts) SaveFolds(folds []string) {
	if f.saveFolds != nil {
		f.saveFolds(folds)
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

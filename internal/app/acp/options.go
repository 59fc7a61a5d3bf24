package acp

import (
	"cmp"
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	protocol "github.com/coder/acp-go-sdk"

	"chatvault/internal/app/config"
	"chatvault/internal/app/session/provider"
	"chatvault/internal/base/routine"
)

// option is a configuration option of a session: what an editor shows as a menu.
type option struct {
	id, name string
	category protocol.SessionConfigOptionCategory
	current  string
	values   protocol.SessionConfigSelectOptionsUngrouped
	set      func(value string) error
}

func (o *option) offer(value, name, about string) {
	v := protocol.SessionConfigSelectOption{Value: protocol.SessionConfigValueId(value), Name: name}
	if about != "" {
		v.Description = &about
	}
	o.values = append(o.values, v)
}

// options returns the session's options: the mode, the model and, if it reasons, how much.
func (c *chat) options() []option {
	mode := option{id: "mode", name: "Mode", category: protocol.SessionConfigOptionCategoryMode, current: string(c.modes().CurrentModeId), set: func(id string) error {
		return c.SetApproval(modeTable[slices.IndexFunc(modeTable, func(m modeRow) bool { return string(m.id) == id })].approval)
	}}
	for _, m := range modeTable {
		mode.offer(string(m.id), m.name, m.about)
	}
	current, efforts := c.Models.Efforts()
	model := option{id: "model", name: "Model", category: protocol.SessionConfigOptionCategoryModel, current: current, set: func(name string) error {
		_, err := c.Models.Use(name)
		return err
	}}
	for _, choice := range c.choices() {
		model.offer(choice.Name, cmp.Or(choice.Label, choice.Name), choice.About)
		if choice.Here {
			model.current = choice.Name
		}
	}
	if !slices.ContainsFunc(model.values, func(v protocol.SessionConfigSelectOption) bool { return string(v.Value) == model.current }) {
		model.offer(model.current, model.current, "")
	}
	all := []option{mode, model}
	if len(efforts) > 0 {
		effort := option{id: "effort", name: "Reasoning", category: protocol.SessionConfigOptionCategoryThoughtLevel, current: cmp.Or(c.Models.Effort(), config.DefaultEffort), set: func(level string) error {
			_, err := c.Models.UseEffort(level)
			return err
		}}
		for _, level := range append([]string{config.DefaultEffort}, efforts...) {
			effort.offer(level, level, "")
		}
		all = append(all, effort)
	}
	return all
}

// choices returns the known models, each once.
func (c *chat) choices() (all []provider.ModelChoice) {
	c.listing.Lock()
	defer c.listing.Unlock()
	for _, s := range c.Models.Sources() {
		for _, choice := range s.With(c.listed[s.ID]) {
			if !slices.ContainsFunc(all, func(o provider.ModelChoice) bool { return o.Name == choice.Name }) {
				all = append(all, choice)
			}
		}
	}
	return all
}

// listModels asks the provider of the current model for its others, in the background. It is called with the first
// message, as nothing is contacted before.
func (c *chat) listModels() {
	c.models.Do(func() {
		routine.Go("acp models", func() {
			for _, s := range c.Models.Sources() {
				if !s.Asks || !slices.ContainsFunc(s.Choices, func(m provider.ModelChoice) bool { return m.Here }) {
					continue
				}
				list, err := c.Models.List(c.ctx, s.ID)
				if err != nil {
					c.Log().Info("models not listed", "source", s.ID, "error", err)
				}
				c.listing.Lock()
				c.listed[s.ID] = list
				c.listing.Unlock()
			}
			c.mu.Lock()
			defer c.mu.Unlock()
			c.optionsChanged()
		})
	})
}

// configOptions returns the options as the protocol has them.
func (c *chat) configOptions() []protocol.SessionConfigOption {
	out := []protocol.SessionConfigOption{}
	for _, o := range c.options() {
		out = append(out, protocol.SessionConfigOption{Select: &protocol.SessionConfigOptionSelect{
			Type: "select", Id: protocol.SessionConfigId(o.id), Name: o.name, Category: &o.category,
			CurrentValue: protocol.SessionConfigValueId(o.current), Options: protocol.SessionConfigSelectOptions{Ungrouped: &o.values},
		}})
	}
	return out
}

// setup returns what a session begins with. Changes are sent from now on.
func (c *chat) setup() opened {
	c.mu.Lock()
	defer c.mu.Unlock()
	o := opened{Modes: c.modes(), Options: c.configOptions()}
	c.toldMode, c.toldOptions = o.Modes.CurrentModeId, o.Options
	model := o.Options[1].Select
	o.Models.CurrentModelId = protocol.ModelId(model.CurrentValue)
	for _, v := range *model.Options.Ungrouped {
		o.Models.AvailableModels = append(o.Models.AvailableModels, protocol.ModelInfo{ModelId: protocol.ModelId(v.Value), Name: v.Name, Description: v.Description})
	}
	return o
}

// optionsChanged sends the mode and the options if the editor does not know them. c.mu must be held.
func (c *chat) optionsChanged() {
	mode, options := c.modes().CurrentModeId, c.configOptions()
	before, known := c.toldMode, c.toldOptions
	if known == nil { // the session is being opened
		return
	}
	c.toldMode, c.toldOptions = mode, options
	if mode != before {
		c.send(protocol.SessionUpdate{CurrentModeUpdate: &protocol.SessionCurrentModeUpdate{SessionUpdate: "current_mode_update", CurrentModeId: mode}})
	}
	if !reflect.DeepEqual(options, known) {
		c.send(protocol.SessionUpdate{ConfigOptionUpdate: &protocol.SessionConfigOptionUpdate{SessionUpdate: "config_option_update", ConfigOptions: options}})
	}
}

func invalid(text string) error {
	return &protocol.RequestError{Code: codeInvalid, Message: text}
}

// setOption is the request session/set_config_option.
type setOption struct {
	SessionId protocol.SessionId //nolint:revive // as in the protocol
	ConfigId  string             //nolint:revive // as in the protocol
	Value     json.RawMessage
}

func (s *server) setOption(_ context.Context, r setOption) (protocol.SetSessionConfigOptionResponse, error) {
	var value string
	if json.Unmarshal(r.Value, &value) != nil {
		return protocol.SetSessionConfigOptionResponse{}, invalid("the value of an option is a string")
	}
	options, err := s.set(r.SessionId, r.ConfigId, value)
	return protocol.SetSessionConfigOptionResponse{ConfigOptions: options}, err
}

func (s *server) setModel(_ context.Context, r protocol.UnstableSetSessionModelRequest) (none, error) {
	_, err := s.set(r.SessionId, "model", string(r.ModelId))
	return none{}, err
}

func (s *server) setMode(_ context.Context, r protocol.SetSessionModeRequest) (none, error) {
	_, err := s.set(r.SessionId, "mode", string(r.ModeId))
	return none{}, err
}

// set sets an option of a session and returns all of them. A model may also be one that is not listed.
func (s *server) set(id protocol.SessionId, name, value string) ([]protocol.SessionConfigOption, error) {
	c, err := s.known(id)
	if err != nil {
		return nil, err
	}
	all := c.options()
	at := slices.IndexFunc(all, func(o option) bool { return o.id == name })
	if at < 0 {
		return nil, invalid("there is no option " + name)
	}
	o := all[at]
	var can []string
	for _, v := range o.values {
		can = append(can, string(v.Value))
	}
	switch {
	case value == "", name != "model" && !slices.Contains(can, value):
		return nil, invalid(o.name + " can be " + strings.Join(can, ", ") + ", and not “" + value + "”")
	case value != o.current:
		if err := o.set(value); err != nil {
			return nil, invalid(err.Error())
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.optionsChanged()
	return c.configOptions(), nil
}

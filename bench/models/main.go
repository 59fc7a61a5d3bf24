// Command models measures how well a model does everyday tasks with chatvault: questions, changes and chat
// on two vaults. It checks each answer and every file. Run it in the root of the repository:
//
//	[BASE_URL=URL] [MODEL=NAME] [OFFLINE=1] [VAULT2=DIR] go run ./bench/models [-only REGEXP] [-kinds KIND,…] [-limit 300s] [-chatvault FILE] [-json FILE] [-compare FILE]
//
// bench/README.md describes the figures.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/sashabaranov/go-openai"
)

// options are the command-line options, and the values that run adds.
type options struct {
	only, kinds     string
	limit           time.Duration
	chatvault       string
	out, compare    string
	vault2          string
	baseURL, model  string
	offline         bool
	earlier         *report
	root, temporary string
}

func main() {
	var o options
	flag.StringVar(&o.only, "only", "", "run the tasks whose name, with its vault (\"sample/rent\"), matches this pattern")
	flag.StringVar(&o.kinds, "kinds", "", "run these kinds: fact,property,list,compare,absent,change,steps,chat")
	flag.DurationVar(&o.limit, "limit", 5*time.Minute, "time for a task")
	flag.StringVar(&o.chatvault, "chatvault", filepath.Join("bin", "chatvault"), "measure this binary")
	flag.StringVar(&o.out, "json", filepath.Join("bin", "models.json"), "write the results to this file")
	flag.StringVar(&o.compare, "compare", "", "compare with the results in this file")
	flag.StringVar(&o.vault2, "vault2", cmp.Or(os.Getenv("VAULT2"), filepath.Join("..", "shared", "vaults", "kepano")), "folder of the second vault (kepano-obsidian); its tasks are skipped if it is missing")
	flag.StringVar(&o.baseURL, "base-url", cmp.Or(os.Getenv("BASE_URL"), "http://127.0.0.1:8080/v1"), "OpenAI-compatible endpoint")
	flag.StringVar(&o.model, "model", os.Getenv("MODEL"), "model; empty: the first that the endpoint lists")
	flag.BoolVar(&o.offline, "offline", os.Getenv("OFFLINE") == "1", "use the embedded engine")
	flag.Parse()
	if flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "models:", err)
		os.Exit(1)
	}
}

// run measures the chosen tasks, then prints and writes the results. If it is interrupted, it reports the
// tasks finished so far.
func run(ctx context.Context, o options) (err error) {
	if o.root, err = os.Getwd(); err != nil {
		return err
	}
	if o.chatvault, err = filepath.Abs(o.chatvault); err != nil {
		return err
	}
	if _, err := os.Stat(o.chatvault); err != nil {
		return fmt.Errorf("there is no binary to measure: %w; make build builds it", err)
	}
	vaults, skipped, err := o.choose(time.Now().Format(time.DateOnly))
	if err != nil {
		return err
	}
	if o.compare != "" {
		if o.earlier, err = readReport(o.compare); err != nil {
			return err
		}
	}
	if o.offline {
		o.model, o.baseURL = "embedded engine", ""
	} else if o.model == "" {
		if o.model, err = firstModel(ctx, o.baseURL); err != nil {
			return err
		}
	}
	if o.temporary, err = os.MkdirTemp("", "chatvault-models-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(o.temporary)) }()
	r := report{Model: o.model, BaseURL: o.baseURL, Began: time.Now(), Skipped: skipped}
	for _, v := range vaults {
		for _, t := range v.tasks {
			result, err := o.measure(ctx, v, t)
			if ctx.Err() != nil {
				break
			}
			if err != nil {
				return err
			}
			fmt.Fprintln(os.Stderr, result.progress())
			r.Results = append(r.Results, result)
		}
	}
	r.print(os.Stdout, o.earlier)
	return errors.Join(r.write(o.out), ctx.Err())
}

// vault is a vault with its tasks.
type vault struct {
	name  string
	dir   string
	tasks []task
}

// choose returns the vaults with the tasks to run, and a remark if a vault is missing.
func (o options) choose(today string) (chosen []vault, skipped string, err error) {
	only, err := regexp.Compile(o.only)
	if err != nil {
		return nil, "", fmt.Errorf("-only: %w", err)
	}
	var kinds []string
	if o.kinds != "" {
		kinds = strings.Split(o.kinds, ",")
	}
	for _, k := range kinds {
		if !slices.Contains(allKinds, k) {
			return nil, "", fmt.Errorf("-kinds: there is no kind %q; the kinds are %s", k, strings.Join(allKinds, ", "))
		}
	}
	left := 0
	for _, v := range []vault{{"sample", filepath.Join(o.root, "testdata", "vault"), sampleTasks(today)}, {"second", o.vault2, secondTasks()}} {
		v.tasks = slices.DeleteFunc(v.tasks, func(t task) bool {
			return !only.MatchString(v.name+"/"+t.name) || kinds != nil && !slices.Contains(kinds, t.kind)
		})
		left += len(v.tasks)
		if _, err := os.Stat(v.dir); errors.Is(err, fs.ErrNotExist) && v.name == "second" {
			skipped = fmt.Sprintf("%d tasks skipped: there is no second vault at %s (VAULT2)", len(v.tasks), v.dir)
		} else if err != nil {
			return nil, "", fmt.Errorf("%w; start it from the root of the repository: go run ./bench/models", err)
		} else {
			chosen = append(chosen, v)
		}
	}
	if left == 0 {
		return nil, "", errors.New("no task matches -only and -kinds")
	}
	return chosen, skipped, nil
}

// firstModel returns the first model that an endpoint lists.
func firstModel(ctx context.Context, baseURL string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	config := openai.DefaultConfig(apiKey())
	config.BaseURL = baseURL
	list, err := openai.NewClientWithConfig(config).ListModels(ctx)
	if err != nil {
		return "", fmt.Errorf("no server answers: %w; start one, set BASE_URL, or set OFFLINE=1 for the embedded engine", err)
	}
	if len(list.Models) == 0 {
		return "", fmt.Errorf("%s lists no model: set MODEL", baseURL)
	}
	return list.Models[0].ID, nil
}

// apiKey returns the key for the endpoint; servers on this computer need none.
func apiKey() string { return cmp.Or(os.Getenv("OPENAI_API_KEY"), "none") }

// Package everwatchtest gives each test of a suite a control plane as it was behind the start of the suite.
//
//	plane, err := everwatchtest.Start(&envtest.Environment{CRDDirectoryPaths: []string{"crds"}})
//	defer plane.Stop()
//
//	func TestOne(t *testing.T) {
//		plane.Test(t)
//		…
//
// KUBEBUILDER_ASSETS names the directory that `everwatch envtest` prints. Suites that are run beside each other
// have their control planes in one process, which starts them before they are asked for; no program is run for them. Where
// EVERWATCH_ENVTEST says otherwise, or the environment says how its etcd and kube-apiserver are started, they are started.
package everwatchtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

const (
	sharing = "EVERWATCH_ENVTEST"
	logs    = "EVERWATCH_ENVTEST_LOGS"
	// Which controllers run, as --controllers takes them.
	controllers = "EVERWATCH_CONTROLLERS"
)

// Plane is a control plane that has started, and the state that it started with.
type Plane struct {
	Environment *envtest.Environment
	Config      *rest.Config
	client      *kubernetes.Clientset
	started     string
	current     string
	// Where its log is; "": the control plane has not said it yet.
	directory string
	// nil: the environment has started its programs.
	taken *taken
}

// told is what the control plane says of a reset.
type told struct {
	Before          string `json:"before"`
	ResourceVersion string `json:"resourceVersion"`
	DataDirectory   string `json:"dataDirectory"`
}

// Start starts the environment. What it installs, as definitions and webhooks, belongs to the state that
// Reset leads back to. Flags are those of kube-apiserver, beside the ones that envtest gives.
func Start(environment *envtest.Environment, flags ...string) (*Plane, error) {
	for name, value := range map[string]string{sharing: "shared", logs: logsByDefault()} {
		if _, isSaid := os.LookupEnv(name); isSaid || value == "" {
			continue
		}
		if err := os.Setenv(name, value); err != nil {
			return nil, err
		}
	}
	plane := &Plane{Environment: environment}
	if err := plane.begin(flags); err != nil {
		return nil, err
	}
	config, err := environment.Start()
	if err != nil {
		return nil, errors.Join(err, plane.end())
	}
	plane.Config = config
	if plane.client, err = kubernetes.NewForConfig(config); err == nil {
		err = plane.mark(context.Background())
	}
	if err != nil {
		return nil, errors.Join(err, plane.Stop())
	}
	return plane, nil
}

// begin takes a control plane, where the environment is content with one as it is.
func (p *Plane) begin(flags []string) (err error) {
	planes := &p.Environment.ControlPlane
	isContent := planes.APIServer == nil && planes.Etcd == nil && p.Environment.UseExistingCluster == nil &&
		p.Environment.BinaryAssetsDirectory == "" && !p.Environment.DownloadBinaryAssets
	if !isContent || os.Getenv(sharing) != "shared" {
		for _, flag := range flags {
			name, value, _ := strings.Cut(strings.TrimPrefix(flag, "--"), "=")
			planes.GetAPIServer().Configure().Set(name, value)
		}
		return nil
	}
	if said := os.Getenv(controllers); said != "" {
		flags = append([]string{"--controllers=" + said}, flags...)
	}
	if p.taken, err = take(flags, keptLog()); err != nil {
		return err
	}
	p.directory = p.taken.ready.DataDirectory
	return p.taken.give(p.Environment)
}

func (p *Plane) end() error {
	if p.taken == nil {
		return nil
	}
	return p.taken.stop()
}

// mark makes what there is now the state that Reset leads back to. What the process has said of a control plane that was taken is
// enough where the environment installs nothing.
func (p *Plane) mark(ctx context.Context) error {
	environment := p.Environment
	isEmpty := len(environment.CRDs) == 0 && len(environment.WebhookInstallOptions.MutatingWebhooks) == 0 &&
		len(environment.WebhookInstallOptions.ValidatingWebhooks) == 0
	if p.taken == nil || !isEmpty {
		return p.Mark(ctx)
	}
	p.started, p.current = p.taken.ready.ResourceVersion, p.taken.ready.ResourceVersion
	return nil
}

// keptLog is where the log of a control plane stays behind its end: named after the suite, the time, and the process.
func keptLog() string {
	parent := os.Getenv(logs)
	here, err := os.Getwd()
	if parent == "" || err != nil {
		return ""
	}
	if parent, err = filepath.Abs(parent); err != nil {
		return ""
	}
	now := strings.Replace(time.Now().UTC().Format("20060102T150405.000"), ".", "", 1)
	return filepath.Join(parent, fmt.Sprintf("%s-%s-%d", filepath.Base(here), now, os.Getpid()))
}

// logsByDefault is where `everwatch replay` looks for tests.
func logsByDefault() string {
	cache := os.Getenv("XDG_CACHE_HOME")
	if home, err := os.UserHomeDir(); cache == "" && err == nil {
		cache = filepath.Join(home, ".cache")
	}
	if cache == "" {
		return ""
	}
	return filepath.Join(cache, "everwatch", "logs")
}

// Mark makes what there is now the state that Reset leads back to.
func (p *Plane) Mark(ctx context.Context) error {
	one, err := p.client.CoreV1().Namespaces().List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return err
	}
	p.started, p.current = one.ResourceVersion, one.ResourceVersion
	return nil
}

// Reset puts every object back to what it was. Watches and caches go on: they are told of what goes and what returns.
func (p *Plane) Reset(ctx context.Context) error {
	_, err := p.reset(ctx)
	return err
}

func (p *Plane) reset(ctx context.Context) (told, error) {
	answer := told{}
	call := p.client.RESTClient().Post().AbsPath("/everwatch/v1/reset").Param("to", p.started)
	text, err := call.DoRaw(ctx)
	if err == nil {
		err = json.Unmarshal(text, &answer)
	}
	if err != nil {
		return answer, fmt.Errorf("reset to %s: %w", p.started, err)
	}
	p.current, p.directory = answer.ResourceVersion, answer.DataDirectory
	return answer, nil
}

// Test resets the control plane when the test has ended, and writes down beside its log when it ran. Of a test that
// fails the command is logged that plays again what happened in it; one that takes too long for `go test` can be played too.
func (p *Plane) Test(t testing.TB) {
	t.Helper()
	played := playedTest{Test: t.Name(), Failed: true, From: p.current}
	if err := played.keep(p.directory); err != nil {
		t.Error(err)
	}
	t.Cleanup(func() {
		answer, err := p.reset(context.Background())
		if err != nil {
			t.Error(err)
			return
		}
		played.Failed, played.Until = t.Failed(), answer.Before
		if err := played.keep(answer.DataDirectory); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("everwatch replay '%s' --serve --wait", strings.ReplaceAll(t.Name(), "'", `'\''`))
		}
	})
}

// playedTest is a line of the file in which `everwatch replay` finds tests by their names.
type playedTest struct {
	Test   string `json:"test"`
	Failed bool   `json:"failed"`
	From   string `json:"from"`
	// "": the test has not ended.
	Until string `json:"until,omitempty"`
}

func (t playedTest) keep(directory string) error {
	if directory == "" {
		return nil
	}
	line, err := json.Marshal(t)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Join(directory, "tests.jsonl"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(append(line, '\n'))
	return errors.Join(err, file.Close())
}

// Stop ends the control plane.
func (p *Plane) Stop() error {
	return errors.Join(p.Environment.Stop(), p.end())
}

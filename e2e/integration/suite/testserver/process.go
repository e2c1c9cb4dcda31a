// Package testing starts Everwatch as a process where Kubernetes' integration tests start kube-apiserver in their own:
// it stands in the place of k8s.io/kubernetes/cmd/kube-apiserver/app/testing.
package testing

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"syscall"
	"time"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	restclient "k8s.io/client-go/rest"
)

// ServerProgram is the program kube-apiserver of the directory that `everwatch envtest` prints.
const ServerProgram = "EVERWATCH_KUBE_APISERVER"

// endTimeout is how long a server has after SIGTERM before it is killed.
const endTimeout = 30 * time.Second

// Process is a server that runs, and the user of the group system:masters that its test has.
type Process struct {
	Port     int
	Config   *restclient.Config
	command  *exec.Cmd
	lifeline io.Closer
	ended    chan struct{}
	endError error
}

// ProcessOptions say how a server is started.
type ProcessOptions struct {
	// Flags that the test gives; of a flag that both have, the test's counts.
	Flags []string
	// Base are flags that every server of these tests has.
	Base []string
	// Prefix is that of the test's etcd: servers of one prefix have one data directory.
	Prefix string
	// Folder for files that the server reads.
	Folder string
	// CAFile has the authority of the server's certificate.
	CAFile string
	// SkipHealthz returns as soon as the server listens.
	SkipHealthz bool
}

var (
	dataLock  sync.Mutex
	dataRoot  string
	dataCount = map[string]string{}
)

// dataDirectory of the servers that have this prefix in etcd.
func dataDirectory(prefix string) (string, error) {
	dataLock.Lock()
	defer dataLock.Unlock()
	if dataRoot == "" {
		folder, err := os.MkdirTemp("", "everwatch-integration")
		if err != nil {
			return "", err
		}
		dataRoot = folder
	}
	if _, ok := dataCount[prefix]; !ok {
		dataCount[prefix] = filepath.Join(dataRoot, fmt.Sprint(len(dataCount)))
	}
	return dataCount[prefix], nil
}

var (
	configLock sync.Mutex
	configs    = map[string]*restclient.Config{}
)

// ConfigOf the server that was last started with this prefix; nil where none was.
func ConfigOf(prefix string) *restclient.Config {
	configLock.Lock()
	defer configLock.Unlock()
	return configs[prefix]
}

func keepConfig(prefix string, config *restclient.Config) {
	configLock.Lock()
	defer configLock.Unlock()
	configs[prefix] = config
}

// RemoveData removes what the servers of this program have stored.
func RemoveData() {
	dataLock.Lock()
	defer dataLock.Unlock()
	if dataRoot != "" {
		os.RemoveAll(dataRoot)
	}
}

// StaysCurrent is set for tests that emulate an older release for their scheduler: the server, which is of one release alone,
// is of that, and its gates are what they are by default.
const StaysCurrent = "EVERWATCH_STAYS_CURRENT"

// FeatureGateFlags are the gates that the test has set in its own process, as flags for the server.
func FeatureGateFlags() []string {
	gates := utilfeature.DefaultMutableFeatureGate
	emulated := gates.EmulationVersion()
	isEmulated := emulated.Minor() != defaultMinor
	if isEmulated && os.Getenv(StaysCurrent) != "" {
		return nil
	}
	var set []string
	for name, spec := range gates.GetAll() {
		if name == "AllAlpha" || name == "AllBeta" || spec.LockToDefault {
			continue
		}
		if enabled := gates.Enabled(name); enabled != spec.Default {
			set = append(set, fmt.Sprintf("%s=%t", name, enabled))
		}
	}
	sort.Strings(set)
	var flags []string
	if len(set) > 0 {
		flags = append(flags, "--feature-gates="+strings.Join(set, ","))
	}
	if isEmulated {
		flags = append(flags, fmt.Sprintf("--emulated-version=%d.%d", emulated.Major(), emulated.Minor()))
	}
	return flags
}

// defaultMinor is the release of Kubernetes that these tests are of.
var defaultMinor = utilfeature.DefaultMutableFeatureGate.EmulationVersion().Minor()

// nameOf a flag, without dashes and value.
func nameOf(flag string) string {
	name, _, _ := strings.Cut(strings.TrimLeft(flag, "-"), "=")
	return name
}

// valueOf the last of these flags that has this name.
func valueOf(flags []string, name string) string {
	for at := len(flags) - 1; at >= 0; at-- {
		if nameOf(flags[at]) != name {
			continue
		}
		if _, value, ok := strings.Cut(flags[at], "="); ok {
			return value
		}
		if at+1 < len(flags) {
			return flags[at+1]
		}
	}
	return ""
}

// without leaves out the flags of this name, also those whose value stands behind them.
func without(flags []string, name string) []string {
	var kept []string
	for at := 0; at < len(flags); at++ {
		if nameOf(flags[at]) != name {
			kept = append(kept, flags[at])
		} else if !strings.Contains(flags[at], "=") && at+1 < len(flags) && !strings.HasPrefix(flags[at+1], "--") {
			at++
		}
	}
	return kept
}

// withLoopbackToken adds a user to the test's file of tokens, or makes one: what kube-apiserver's loopback client is.
func withLoopbackToken(flags []string, folder string) (string, []string, error) {
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		return "", nil, err
	}
	token := hex.EncodeToString(random)
	var users []byte
	if file := valueOf(flags, "token-auth-file"); file != "" {
		read, err := os.ReadFile(file)
		if err != nil {
			return "", nil, err
		}
		users = append(bytes.TrimRight(read, "\n"), '\n')
		flags = without(flags, "token-auth-file")
	}
	users = append(users, fmt.Sprintf("%s,system:apiserver,%s,\"system:masters\"\n", token, token)...)
	file := filepath.Join(folder, "loopback-tokens.csv")
	if err := os.WriteFile(file, users, 0o600); err != nil {
		return "", nil, err
	}
	return token, append(flags, "--token-auth-file="+file), nil
}

// mergedGates makes one flag of all that set feature gates.
func mergedGates(flags []string) []string {
	var gates, kept []string
	for at := 0; at < len(flags); at++ {
		if nameOf(flags[at]) != "feature-gates" {
			kept = append(kept, flags[at])
			continue
		}
		value := flags[at+1:]
		if _, behind, ok := strings.Cut(flags[at], "="); ok {
			value = []string{behind}
		} else {
			at++
		}
		if value[0] != "" {
			gates = append(gates, value[0])
		}
	}
	if len(gates) > 0 {
		kept = append(kept, "--feature-gates="+strings.Join(gates, ","))
	}
	return kept
}

// StartProcess starts a server and waits until it is healthy.
func StartProcess(ctx context.Context, options ProcessOptions) (*Process, error) {
	program := os.Getenv(ServerProgram)
	if program == "" {
		return nil, errors.New(ServerProgram + " is not set")
	}
	token, flags, err := withLoopbackToken(options.Flags, options.Folder)
	if err != nil {
		return nil, err
	}
	data, err := dataDirectory(options.Prefix)
	if err != nil {
		return nil, err
	}
	listener, port, err := createLocalhostListenerOnFreePort()
	if err != nil {
		return nil, err
	}
	listener.Close()
	args := []string{"--data-dir=" + data, fmt.Sprintf("--secure-port=%d", port), "--bind-address=127.0.0.1"}
	for _, flag := range options.Base {
		if valueOf(flags, nameOf(flag)) == "" {
			args = append(args, flag)
		}
	}
	args = mergedGates(append(append(args, FeatureGateFlags()...), flags...))
	log, err := os.Create(filepath.Join(options.Folder, "server.log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	command := exec.Command(program, args...)
	command.Stdout, command.Stderr = log, log
	// The server ends with the test, however that ends.
	command.Env = append(os.Environ(), "EVERWATCH_ENVTEST_LIFELINE=stdin")
	lifeline, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(log, "%s\n", strings.Join(args, " "))
	if err := command.Start(); err != nil {
		return nil, err
	}
	process := &Process{Port: port, command: command, lifeline: lifeline, ended: make(chan struct{})}
	go func() {
		process.endError = command.Wait()
		close(process.ended)
	}()
	ca, err := os.ReadFile(options.CAFile)
	if err != nil {
		process.Stop()
		return nil, err
	}
	process.Config = &restclient.Config{
		Host:            fmt.Sprintf("https://127.0.0.1:%d", port),
		BearerToken:     token,
		QPS:             1000,
		Burst:           10000,
		TLSClientConfig: restclient.TLSClientConfig{CAData: ca},
	}
	if err := process.awaited(ctx, options.SkipHealthz); err != nil {
		process.Stop()
		said, _ := os.ReadFile(log.Name())
		return nil, fmt.Errorf("%w; it said:\n%s", err, said)
	}
	keepConfig(options.Prefix, process.Config)
	return process, nil
}

// awaited returns when the server is healthy, or has ended.
func (p *Process) awaited(ctx context.Context, skipHealthz bool) error {
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}
	client := &http.Client{Transport: transport, Timeout: 5 * time.Second}
	for until := time.Now().Add(2 * time.Minute); time.Now().Before(until); {
		select {
		case <-p.ended:
			return fmt.Errorf("the server has ended: %v", p.endError)
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
		request, err := http.NewRequestWithContext(ctx, "GET", p.Config.Host+"/readyz", nil)
		if err != nil {
			return err
		}
		request.Header.Set("Authorization", "Bearer "+p.Config.BearerToken)
		answer, err := client.Do(request)
		if err != nil {
			continue
		}
		answer.Body.Close()
		if skipHealthz || answer.StatusCode == http.StatusOK {
			return nil
		}
	}
	return errors.New("the server is not ready after two minutes")
}

// Stop ends the server and waits until it has.
func (p *Process) Stop() {
	_ = p.command.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.ended:
	case <-time.After(endTimeout):
		_ = p.command.Process.Kill()
		<-p.ended
	}
	_ = p.lifeline.Close()
}

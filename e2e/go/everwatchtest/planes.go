package everwatchtest

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// taken is a control plane of the process that all suites of a user share. It ends with its connection.
type taken struct {
	connection net.Conn
	lines      *bufio.Scanner
	said       []string
	ready      message
	config     *rest.Config
}

// message is a line of what a suite and the process say to each other.
type message struct {
	Type            string   `json:"type"`
	Flags           []string `json:"flags,omitempty"`
	Keep            string   `json:"keep,omitempty"`
	Signal          string   `json:"signal,omitempty"`
	Kubeconfig      string   `json:"kubeconfig,omitempty"`
	DataDirectory   string   `json:"dataDirectory,omitempty"`
	ResourceVersion string   `json:"resourceVersion,omitempty"`
	Text            string   `json:"text,omitempty"`
	Why             string   `json:"why,omitempty"`
}

var errNoProcess = errors.New("the process that control planes share is not there")

// take asks for a control plane with these flags beside those of envtest. One that was started before is given at once.
func take(flags []string, keep string) (*taken, error) {
	plane, err := takeAt(meetingPlace(), flags, keep)
	if !errors.Is(err, errNoProcess) {
		return plane, err
	}
	path, err := exec.Command(program("kube-apiserver"), "planes").Output()
	if err != nil {
		return nil, fmt.Errorf("%s planes: %w", program("kube-apiserver"), err)
	}
	return takeAt(strings.TrimSpace(string(path)), flags, keep)
}

func takeAt(socket string, flags []string, keep string) (*taken, error) {
	connection, err := net.Dial("unix", socket)
	if err != nil {
		return nil, errNoProcess
	}
	plane := &taken{connection: connection, lines: bufio.NewScanner(connection)}
	plane.lines.Buffer(nil, 64<<20)
	if _, err = plane.hear("hello"); err != nil {
		_ = connection.Close()
		return nil, errNoProcess
	}
	if flags == nil {
		flags = []string{}
	}
	plane.tell(message{Type: "take", Flags: flags, Keep: keep})
	if plane.ready, err = plane.hear("ready"); err == nil {
		plane.config, err = clientcmd.BuildConfigFromFlags("", plane.ready.Kubeconfig)
	}
	if err != nil {
		_ = connection.Close()
		return nil, err
	}
	// As envtest has them.
	plane.config.QPS, plane.config.Burst = 1000, 2000
	return plane, nil
}

func (t *taken) tell(said message) {
	line, _ := json.Marshal(said) // Strings only.
	_, _ = t.connection.Write(append(line, '\n'))
}

// hear waits for a message of that type.
func (t *taken) hear(kind string) (message, error) {
	for t.lines.Scan() {
		heard := message{}
		if err := json.Unmarshal(t.lines.Bytes(), &heard); err != nil {
			return heard, err
		}
		switch heard.Type {
		case kind:
			return heard, nil
		case "said":
			t.said = append(t.said, heard.Text)
		case "refused", "ended":
			return heard, fmt.Errorf("no control plane: %s%s", heard.Why, strings.Join(t.said, ""))
		}
	}
	return message{}, errors.New("the process that control planes share has ended")
}

// stop ends the control plane, and waits until it has.
func (t *taken) stop() error {
	t.tell(message{Type: "signal", Signal: "SIGTERM"})
	_ = t.connection.SetDeadline(time.Now().Add(time.Minute))
	_, err := t.hear("ended")
	return errors.Join(err, t.connection.Close())
}

// give makes the control plane that of the environment, which then installs what it has to install.
func (t *taken) give(environment *envtest.Environment) error {
	host, port, err := net.SplitHostPort(strings.TrimPrefix(t.config.Host, "https://"))
	if err != nil {
		return err
	}
	existing := true
	environment.UseExistingCluster, environment.Config = &existing, t.config
	server := environment.ControlPlane.GetAPIServer()
	server.CertDir = t.ready.DataDirectory
	server.SecureServing = envtest.SecureServing{
		ListenAddr: envtest.ListenAddr{Address: host, Port: port},
		CA:         t.config.CAData,
		Authn:      impersonation{t.config},
	}
	return nil
}

// impersonation gives Environment.AddUser users that the administrator acts as.
type impersonation struct{ admin *rest.Config }

func (i impersonation) Configure(string, *envtest.Arguments) error { return nil }
func (i impersonation) Start() error                               { return nil }
func (i impersonation) Stop() error                                { return nil }

func (i impersonation) AddUser(user envtest.User, base *rest.Config) (*rest.Config, error) {
	config := rest.CopyConfig(base)
	config.CertData, config.KeyData = i.admin.CertData, i.admin.KeyData
	config.Impersonate = rest.ImpersonationConfig{UserName: user.Name, Groups: user.Groups}
	return config, nil
}

func program(name string) string {
	return filepath.Join(os.Getenv("KUBEBUILDER_ASSETS"), name)
}

// meetingPlace is where the process listens, if there is one: it depends on the build, on Node, and on what of the
// environment a server goes by.
func meetingPlace() string {
	build := struct {
		Node, Version, Program string
		Variables              []string
	}{}
	text, err := os.ReadFile(program("meeting.json"))
	if err == nil {
		err = json.Unmarshal(text, &build)
	}
	built, statErr := os.Stat(build.Program)
	if err != nil || statErr != nil {
		return ""
	}
	identity := sha256.New()
	fmt.Fprintf(identity, "%s\n%s\n%s\n%d\n%d\n%d\n", build.Node, build.Version, build.Program,
		built.Size(), built.ModTime().UnixMilli(), os.Getuid())
	for _, name := range build.Variables {
		if value, isSet := os.LookupEnv(name); isSet {
			fmt.Fprintf(identity, "%s=%s\n", name, value)
		}
	}
	parent := os.TempDir()
	for _, name := range []string{"TEMP", "TMP", "TMPDIR", "XDG_RUNTIME_DIR"} {
		if value := os.Getenv(name); value != "" {
			parent = value
		}
	}
	name := "everwatch-envtest-" + hex.EncodeToString(identity.Sum(nil))[:16]
	return filepath.Join(parent, name, "planes")
}

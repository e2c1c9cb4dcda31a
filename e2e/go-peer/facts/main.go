// The facts of kube-apiserver's command line, as JSON: each flag with its type, its default and what is
// said when it is deprecated, what pflag answers to some texts of it, and each feature gate with its
// stage. The command `npm run generate:flags` writes them down.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"

	"github.com/spf13/pflag"
	"k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/cli/flag"
	"k8s.io/component-base/cli/globalflag"
	"k8s.io/component-base/logs"
	logsapi "k8s.io/component-base/logs/api/v1"
	"k8s.io/component-base/version/verflag"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"
)

// What a flag is set to, in its first place and alone. Each is right for some types and wrong for others.
var texts = []string{"", "x", "-1", "0", "1", "7", "300", "70000", "3000000000", "99999999999999999999", "0x10",
	"1_000", "1.5", "true", "T", "yes", "5m", "1h30", "10.0.0.1", "10.0.0.0/24", "::1", "30000-32767", "a=b",
	"a=true", "a,b", "a=b,c", `"a`, `a"b`, "=", "1Ki", "a:b", "x.crt,x.key", "1.36", "kube=1.36", "v1=true"}

type flagFact struct {
	Name       string `json:"name"`
	Short      string `json:"short,omitempty"`
	Type       string `json:"type"`
	Default    string `json:"default,omitempty"`
	Bare       string `json:"bare,omitempty"`
	Deprecated string `json:"deprecated,omitempty"`
}

type gateFact struct {
	Name      string   `json:"name"`
	Default   bool     `json:"default"`
	Stage     string   `json:"stage,omitempty"`
	Locked    bool     `json:"locked,omitempty"`
	DependsOn []string `json:"dependsOn,omitempty"`
}

func main() {
	if err := logsapi.AddFeatureGates(feature.DefaultMutableFeatureGate); err != nil {
		panic(err)
	}
	// The texts given to flags stay in the registry of versions and gates, so the gates come first.
	gates := gateFacts()
	flags := flagFacts()
	facts := map[string]any{"flags": flags, "gates": gates, "answers": answers(flags)}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(facts); err != nil {
		panic(err)
	}
}

func flagFacts() []flagFact {
	facts := []flagFact{}
	commandLine().VisitAll(func(one *pflag.Flag) {
		facts = append(facts, flagFact{
			Name: one.Name, Short: one.Shorthand, Type: one.Value.Type(), Default: one.DefValue,
			Bare: one.NoOptDefVal, Deprecated: one.Deprecated,
		})
	})
	sort.Slice(facts, func(i, j int) bool { return facts[i].Name < facts[j].Name })
	return facts
}

// By the first flag that answers so and the text, the reason of the refusal; ” where there is none.
// Flags that answer alike stand together.
func answers(flags []flagFact) []map[string]any {
	groups := []map[string]any{}
	at := map[string]int{}
	for _, one := range flags {
		reasons := reasonsOf(one)
		encoded, err := json.Marshal(reasons)
		if err != nil {
			panic(err)
		}
		group, isThere := at[string(encoded)]
		if !isThere {
			group = len(groups)
			at[string(encoded)] = group
			groups = append(groups, map[string]any{"flags": []string{}, "reasons": reasons})
		}
		groups[group]["flags"] = append(groups[group]["flags"].([]string), one.Name)
	}
	return groups
}

// Each text is given to a command line of its own: flags of lists add to themselves.
func reasonsOf(one flagFact) map[string]string {
	reasons := map[string]string{}
	shown := "--" + one.Name
	if one.Short != "" {
		shown = "-" + one.Short + ", " + shown
	}
	for _, text := range texts {
		flags := commandLine()
		flags.SetOutput(io.Discard)
		reasons[text] = ""
		if err := flags.Parse([]string{"--" + one.Name + "=" + text}); err != nil {
			begin := fmt.Sprintf("invalid argument %q for %q flag: ", text, shown)
			reason, isSo := strings.CutPrefix(err.Error(), begin)
			if !isSo {
				panic(err)
			}
			reasons[text] = reason
		}
	}
	return reasons
}

// What NewAPIServerCommand of cmd/kube-apiserver/app puts together; it can be called only once.
func commandLine() *pflag.FlagSet {
	flags := pflag.NewFlagSet("kube-apiserver", pflag.ContinueOnError)
	sections := options.NewServerRunOptions().Flags()
	verflag.AddFlags(sections.FlagSet("global"))
	globalflag.AddGlobalFlags(sections.FlagSet("global"), flags.Name(), logs.SkipLoggingConfigurationFlags())
	for _, section := range sections.FlagSets {
		flags.AddFlagSet(section)
	}
	flags.SetNormalizeFunc(flag.WordSepNormalizeFunc)
	return flags
}

func gateFacts() []gateFact {
	facts := []gateFact{}
	if err := options.NewServerRunOptions().GenericServerRunOptions.ComponentGlobalsRegistry.Set(); err != nil {
		panic(err)
	}
	gates := feature.DefaultMutableFeatureGate
	dependencies := gates.Dependencies()
	for name, spec := range gates.GetAll() {
		fact := gateFact{Name: string(name), Default: spec.Default, Stage: string(spec.PreRelease), Locked: spec.LockToDefault}
		for _, on := range dependencies[name] {
			fact.DependsOn = append(fact.DependsOn, string(on))
		}
		sort.Strings(fact.DependsOn)
		facts = append(facts, fact)
	}
	sort.Slice(facts, func(i, j int) bool { return facts[i].Name < facts[j].Name })
	return facts
}

// Command audit-policy answers, one line of JSON for each line of JSON it reads, what an audit policy
// of kube-apiserver says about requests, or what is wrong with it. The tests beside actors/audit
// compare.
package main

import (
	"bufio"
	"encoding/json"
	"os"
	"sort"
	"strings"

	"k8s.io/apiserver/pkg/audit/policy"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
)

type question struct {
	Policy   json.RawMessage `json:"policy"`
	Requests []attributes    `json:"requests"`
}

type attributes struct {
	// Nobody where it is null.
	User *struct {
		Name   string   `json:"name"`
		Groups []string `json:"groups"`
	} `json:"user"`
	Verb            string `json:"verb"`
	ResourceRequest bool   `json:"isResourceRequest"`
	Path            string `json:"path"`
	Namespace       string `json:"namespace"`
	APIGroup        string `json:"apiGroup"`
	APIVersion      string `json:"apiVersion"`
	Resource        string `json:"resource"`
	Subresource     string `json:"subresource"`
	Name            string `json:"name"`
}

type decision struct {
	Level             string   `json:"level"`
	OmitStages        []string `json:"omitStages"`
	OmitManagedFields bool     `json:"omitManagedFields"`
}

type answer struct {
	Error     string     `json:"error,omitempty"`
	Decisions []decision `json:"decisions,omitempty"`
}

func answerOf(asked question) answer {
	loaded, err := policy.LoadPolicyFromBytes(asked.Policy)
	if err != nil {
		return answer{Error: err.Error()}
	}
	evaluator := policy.NewPolicyRuleEvaluator(loaded)
	decisions := []decision{}
	for _, request := range asked.Requests {
		record := authorizer.AttributesRecord{
			Verb:            request.Verb,
			Namespace:       request.Namespace,
			APIGroup:        request.APIGroup,
			APIVersion:      request.APIVersion,
			Resource:        request.Resource,
			Subresource:     request.Subresource,
			Name:            request.Name,
			ResourceRequest: request.ResourceRequest,
			Path:            request.Path,
		}
		if request.User != nil {
			record.User = &user.DefaultInfo{Name: request.User.Name, Groups: request.User.Groups}
		}
		config := evaluator.EvaluatePolicyRule(record)
		stages := []string{}
		for _, stage := range config.OmitStages {
			stages = append(stages, string(stage))
		}
		sort.Strings(stages)
		decisions = append(decisions, decision{string(config.Level), stages, config.OmitManagedFields})
	}
	return answer{Decisions: decisions}
}

func main() {
	reader := bufio.NewReaderSize(os.Stdin, 1<<20)
	writer := bufio.NewWriter(os.Stdout)
	defer writer.Flush()
	encoder := json.NewEncoder(writer)
	for {
		line, err := reader.ReadString('\n')
		if strings.TrimSpace(line) != "" {
			var asked question
			if err := json.Unmarshal([]byte(line), &asked); err != nil {
				panic(err)
			}
			if err := encoder.Encode(answerOf(asked)); err != nil {
				panic(err)
			}
		}
		if err != nil {
			return
		}
	}
}

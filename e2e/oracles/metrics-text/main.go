// Command metrics-text reads figures in Prometheus' text format, as Prometheus' own parser does, and
// says in one line of JSON which families it found, or what is wrong with the text.
package main

import (
	"encoding/json"
	"os"
	"strings"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

type answer struct {
	// By name: the type in lower case.
	Families map[string]string `json:"families"`
	Samples  int               `json:"samples"`
	Error    string            `json:"error,omitempty"`
}

func main() {
	parser := expfmt.NewTextParser(model.LegacyValidation)
	found := answer{Families: map[string]string{}}
	families, err := parser.TextToMetricFamilies(os.Stdin)
	if err != nil {
		found.Error = err.Error()
	}
	for name, family := range families {
		found.Families[name] = strings.ToLower(family.GetType().String())
		found.Samples += len(family.Metric)
	}
	if err := json.NewEncoder(os.Stdout).Encode(found); err != nil {
		panic(err)
	}
}

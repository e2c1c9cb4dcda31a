// Command cel answers, one line of JSON for each line of JSON it reads, what Kubernetes makes of an
// expression, of the rules of a schema, and of a CustomResourceDefinition with rules. The tests
// beside api/cel compare.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"sync"
	"time"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	schemacel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/version"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
	"k8s.io/apiserver/pkg/sharding"
)

type question struct {
	// expression, compile, rules, crd, time or shard
	Ask        string          `json:"ask"`
	Expression string          `json:"expression"`
	Schema     json.RawMessage `json:"schema"`
	Object     json.RawMessage `json:"object"`
	Old        json.RawMessage `json:"old"`
	Budget     int64           `json:"budget"`
	// Of the limit of each call; 0: Kubernetes' own.
	CallLimit uint64          `json:"callLimit"`
	CRD       json.RawMessage `json:"crd"`
	Times     int             `json:"times"`
}

type fieldError struct {
	Type  string `json:"type"`
	Field string `json:"field"`
	Body  string `json:"body"`
}

type answer struct {
	Issues   string       `json:"issues,omitempty"`
	Plan     string       `json:"plan,omitempty"`
	Type     string       `json:"type,omitempty"`
	Value    any          `json:"value,omitempty"`
	Error    string       `json:"error,omitempty"`
	Cost     uint64       `json:"cost"`
	CostMin  string       `json:"costMin,omitempty"`
	CostMax  string       `json:"costMax,omitempty"`
	Errors   []fieldError `json:"errors,omitempty"`
	Budget   int64        `json:"budget"`
	Micros   float64      `json:"micros,omitempty"`
	Problem  string       `json:"problem,omitempty"`
	Warnings []string     `json:"warnings,omitempty"`
}

var scheme = runtime.NewScheme()

func main() {
	install.Install(scheme)
	reader := bufio.NewReaderSize(os.Stdin, 1<<20)
	writer := bufio.NewWriter(os.Stdout)
	defer writer.Flush()
	encoder := json.NewEncoder(writer)
	for {
		line, err := reader.ReadBytes('\n')
		if len(line) > 0 {
			if err := encoder.Encode(respond(line)); err != nil {
				panic(err)
			}
		}
		if err != nil {
			return
		}
	}
}

func respond(line []byte) (result answer) {
	defer func() {
		if caught := recover(); caught != nil {
			result = answer{Problem: fmt.Sprintf("panic: %v", caught)}
		}
	}()
	var asked question
	if err := json.Unmarshal(line, &asked); err != nil {
		return answer{Problem: err.Error()}
	}
	switch asked.Ask {
	case "rules":
		return rules(asked)
	case "crd":
		return crd(asked)
	case "time":
		return timed(asked)
	case "shard":
		return shard(asked)
	case "compile":
		return compiled(asked)
	default:
		return expression(asked)
	}
}

// shard says whether a selector takes the object, an ObjectMeta.
func shard(asked question) answer {
	selector, err := sharding.Parse(asked.Expression)
	if err != nil {
		return answer{Error: err.Error()}
	}
	var object metav1.PartialObjectMetadata
	if err := json.Unmarshal(asked.Object, &object.ObjectMeta); err != nil {
		return answer{Problem: err.Error()}
	}
	matches, err := selector.Matches(&object)
	if err != nil {
		return answer{Problem: err.Error()}
	}
	return answer{Value: matches, Type: selector.String()}
}

func structural(raw json.RawMessage) (*structuralschema.Structural, error) {
	var v1 apiextensionsv1.JSONSchemaProps
	if err := json.Unmarshal(raw, &v1); err != nil {
		return nil, err
	}
	var internal apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&v1, &internal, nil); err != nil {
		return nil, err
	}
	return structuralschema.NewStructural(&internal)
}

// tree reads JSON as kube-apiserver does: whole numbers are int64.
func tree(raw json.RawMessage) any {
	if len(raw) == 0 {
		return nil
	}
	var value any
	if err := utiljson.Unmarshal(raw, &value); err != nil {
		panic(err)
	}
	return value
}

type sizes struct{ root *apiservercel.DeclType }

func (s *sizes) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}

func (s *sizes) EstimateSize(node checker.AstNode) *checker.SizeEstimate {
	path := node.Path()
	if len(path) == 0 {
		return nil
	}
	at := s.root
	for _, step := range path[1:] {
		switch {
		case step == "@items" || step == "@values":
			at = at.ElemType
		case step == "@keys":
			at = at.KeyType
		default:
			found, ok := at.Fields[step]
			if !ok {
				return nil
			}
			at = found.Type
		}
		if at == nil {
			return nil
		}
	}
	return &checker.SizeEstimate{Max: uint64(at.MaxElements)}
}

type prepared struct {
	schema    *structuralschema.Structural
	env       *celgo.Env
	estimator *library.CostEstimator
}

var preparations = map[string]*prepared{}

// prepare keeps what it made, because most questions are about the same schema.
func prepare(asked question) (*prepared, error) {
	known, ok := preparations[string(asked.Schema)]
	if ok {
		return known, nil
	}
	made, err := prepareSchema(asked)
	if err == nil {
		preparations[string(asked.Schema)] = made
	}
	return made, err
}

func prepareSchema(asked question) (*prepared, error) {
	schema, err := structural(asked.Schema)
	if err != nil {
		return nil, err
	}
	decl := model.SchemaDeclType(schema, true)
	if decl == nil {
		return nil, fmt.Errorf("no declaration")
	}
	root := decl.MaybeAssignTypeName("selfType")
	base := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion())
	set, err := base.Extend(environment.VersionedOptions{
		IntroducedVersion: version.MajorMinor(1, 0),
		EnvOptions:        []celgo.EnvOption{celgo.Variable("self", root.CelType()), celgo.Variable("oldSelf", root.CelType())},
		DeclTypes:         []*apiservercel.DeclType{root},
	})
	if err != nil {
		return nil, err
	}
	estimator := &library.CostEstimator{SizeEstimator: &sizes{root: decl}}
	return &prepared{schema: schema, env: set.NewExpressionsEnv(), estimator: estimator}, nil
}

var plain = sync.OnceValue(func() *celgo.Env {
	return environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()).NewExpressionsEnv()
})

// compiled says only what is wrong with an expression that has no variables.
func compiled(asked question) answer {
	if _, issues := plain().Compile(asked.Expression); issues.Err() != nil {
		return answer{Issues: issues.String()}
	}
	return answer{}
}

func expression(asked question) answer {
	made, err := prepare(asked)
	if err != nil {
		return answer{Problem: err.Error()}
	}
	ast, issues := made.env.Compile(asked.Expression)
	if issues != nil {
		return answer{Issues: issues.String()}
	}
	estimate, err := made.env.EstimateCost(ast, made.estimator)
	if err != nil {
		return answer{Problem: err.Error()}
	}
	result := answer{
		Type:    checker.FormatCELType(ast.OutputType()),
		CostMin: fmt.Sprint(estimate.Min),
		CostMax: fmt.Sprint(estimate.Max),
	}
	limit := asked.CallLimit
	if limit == 0 {
		limit = celconfig.PerCallLimit
	}
	program, err := made.env.Program(ast, celgo.CostLimit(limit), celgo.CostTracking(made.estimator))
	if err != nil {
		result.Plan = err.Error()
		return result
	}
	if len(asked.Object) == 0 {
		return result
	}
	root := common.Schema(&model.Structural{Structural: model.WithTypeAndObjectMeta(made.schema)})
	vars := map[string]any{"self": common.UnstructuredToVal(tree(asked.Object), root)}
	if len(asked.Old) > 0 {
		vars["oldSelf"] = common.UnstructuredToVal(tree(asked.Old), root)
	}
	value, details, err := program.ContextEval(context.Background(), vars)
	if details != nil && details.ActualCost() != nil {
		result.Cost = *details.ActualCost()
	}
	if err != nil {
		result.Error = err.Error()
		return result
	}
	result.Value = spell(value)
	return result
}

// spell gives every value a form that says of what type it is.
func spell(value ref.Val) any {
	switch found := value.(type) {
	case types.Bool:
		return bool(found)
	case types.String:
		return string(found)
	case types.Null:
		return "null"
	case types.Int:
		return map[string]string{"int": fmt.Sprint(int64(found))}
	case types.Uint:
		return map[string]string{"uint": fmt.Sprint(uint64(found))}
	case types.Double:
		return map[string]string{"double": fmt.Sprint(float64(found))}
	case types.Bytes:
		return map[string]any{"bytes": []byte(found)}
	case types.Timestamp:
		return map[string]string{"timestamp": found.UTC().Format(time.RFC3339Nano)}
	case types.Duration:
		return map[string]string{"duration": found.Duration.String()}
	case *types.Optional:
		if !found.HasValue() {
			return map[string]any{"optional": []any{}}
		}
		return map[string]any{"optional": []any{spell(found.GetValue())}}
	case *types.Type:
		return map[string]string{"type": found.TypeName()}
	case traits.Lister:
		items := []any{}
		for it := found.Iterator(); it.HasNext() == types.True; {
			items = append(items, spell(it.Next()))
		}
		return items
	case traits.Mapper:
		entries := [][2]any{}
		for it := found.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			entries = append(entries, [2]any{spell(key), spell(found.Get(key))})
		}
		sort.Slice(entries, func(i, j int) bool { return fmt.Sprint(entries[i][0]) < fmt.Sprint(entries[j][0]) })
		return map[string]any{"map": entries}
	default:
		return map[string]string{"other": value.Type().TypeName()}
	}
}

func spellErrors(errs field.ErrorList) []fieldError {
	result := []fieldError{}
	for _, err := range errs {
		result = append(result, fieldError{Type: string(err.Type), Field: err.Field, Body: err.ErrorBody()})
	}
	return result
}

func rules(asked question) answer {
	schema, err := structural(asked.Schema)
	if err != nil {
		return answer{Problem: err.Error()}
	}
	limit := asked.CallLimit
	if limit == 0 {
		limit = celconfig.PerCallLimit
	}
	budget := asked.Budget
	if budget == 0 {
		budget = celconfig.RuntimeCELCostBudget
	}
	validator := schemacel.NewValidator(schema, true, limit)
	if validator == nil {
		return answer{Budget: budget}
	}
	object, old := tree(asked.Object), tree(asked.Old)
	options := []schemacel.Option{}
	if old != nil {
		correlated := common.NewCorrelatedObject(object, old, &model.Structural{Structural: schema})
		options = append(options, schemacel.WithRatcheting(correlated))
	}
	errs, remaining := validator.Validate(context.Background(), nil, schema, object, old, budget, options...)
	return answer{Errors: spellErrors(errs), Budget: remaining}
}

func crd(asked question) answer {
	var v1 apiextensionsv1.CustomResourceDefinition
	if err := json.Unmarshal(asked.CRD, &v1); err != nil {
		return answer{Problem: err.Error()}
	}
	scheme.Default(&v1)
	var internal apiextensions.CustomResourceDefinition
	if err := scheme.Convert(&v1, &internal, nil); err != nil {
		return answer{Problem: err.Error()}
	}
	return answer{Errors: spellErrors(crdvalidation.ValidateCustomResourceDefinition(context.Background(), &internal))}
}

// timed says how long one compilation or one evaluation takes.
func timed(asked question) answer {
	made, err := prepare(asked)
	if err != nil {
		return answer{Problem: err.Error()}
	}
	compile := func() celgo.Program {
		ast, issues := made.env.Compile(asked.Expression)
		if issues != nil {
			panic(issues.String())
		}
		program, err := made.env.Program(ast, celgo.CostLimit(celconfig.PerCallLimit), celgo.CostTracking(made.estimator))
		if err != nil {
			panic(err)
		}
		return program
	}
	root := common.Schema(&model.Structural{Structural: model.WithTypeAndObjectMeta(made.schema)})
	program := compile()
	object := tree(asked.Object)
	start := time.Now()
	for range asked.Times {
		if object == nil {
			compile()
			continue
		}
		vars := map[string]any{"self": common.UnstructuredToVal(object, root)}
		if _, _, err := program.ContextEval(context.Background(), vars); err != nil {
			return answer{Problem: err.Error()}
		}
	}
	return answer{Micros: float64(time.Since(start).Nanoseconds()) / 1000 / float64(asked.Times)}
}

// API Priority and Fairness as kube-apiserver does it, for comparison in tests.
//
// Each line of standard input is one question, each line of standard output its answer:
//
//	{"do": "defaults"}: the objects that every cluster has.
//	{"do": "deal", "deckSize", "handSize", "hash"}: a hand of cards.
//	{"do": "hash", "schema", "distinguisher"}: what a flow is dealt by.
//	{"do": "match", "flowSchema", "user", "info"}: whether the flow schema is for the request.
//	{"do": "allocate", "sum", "classes"}: seats, shared out between bounds.
//	{"do": "estimate", "method", "url", "count", "sizeBytes", "watches", "seatsMax"}: how wide a request is.
//	{"do": "schedule", "config", "steps"}: what a level looks like after each step.
package main

import (
	"bufio"
	"encoding/json"
	"net/http/httptest"
	"os"
	"strconv"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/storage"
	utilflowcontrol "k8s.io/apiserver/pkg/util/flowcontrol"
	fcmetrics "k8s.io/apiserver/pkg/util/flowcontrol/metrics"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"
	"k8s.io/apiserver/pkg/util/shufflesharding"
)

type question struct {
	Do            string
	DeckSize      int
	HandSize      int
	Hash          uint64 `json:",string"`
	Schema        string
	Distinguisher string
	FlowSchema    *flowcontrolv1.FlowSchema
	User          user.DefaultInfo
	Info          request.RequestInfo
	Sum           int
	Classes       []class
	Method, URL   string
	Count         int64
	SizeBytes     int64
	Watches       int
	SeatsMax      uint64
	Config        config
	Steps         []step
}

type answer map[string]any

type fcmetricsPair struct{}

func (fcmetricsPair) get() fcmetrics.RatioedGaugePair {
	return fcmetrics.RatioedGaugePair{RequestsWaiting: noGauge{}, RequestsExecuting: noGauge{}}
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<28)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for in.Scan() {
		var q question
		if err := json.Unmarshal(in.Bytes(), &q); err != nil {
			panic(err)
		}
		line, err := json.Marshal(ask(q))
		if err != nil {
			panic(err)
		}
		out.Write(append(line, '\n'))
	}
}

func ask(q question) answer {
	switch q.Do {
	case "defaults":
		return answer{
			"mandatory": answer{"levels": bootstrap.MandatoryPriorityLevelConfigurations, "schemas": bootstrap.MandatoryFlowSchemas},
			"suggested": answer{"levels": bootstrap.SuggestedPriorityLevelConfigurations, "schemas": bootstrap.SuggestedFlowSchemas},
		}
	case "deal":
		dealer, err := shufflesharding.NewDealer(q.DeckSize, q.HandSize)
		if err != nil {
			return failed(err)
		}
		return answer{"cards": dealer.DealIntoHand(q.Hash, nil)}
	case "hash":
		return answer{"hash": strconv.FormatUint(hashFlowID(q.Schema, q.Distinguisher), 10)}
	case "match":
		digest := utilflowcontrol.RequestDigest{RequestInfo: &q.Info, User: &q.User}
		return answer{"matches": matchesFlowSchema(digest, q.FlowSchema)}
	case "allocate":
		seats, fairProportion, err := computeConcurrencyAllocation(q.Sum, q.Classes)
		if err != nil {
			return failed(err)
		}
		return answer{"seats": seats, "fair": fairProportion}
	case "estimate":
		return estimate(q)
	default:
		states, err := run(q.Config, q.Steps)
		if err != nil {
			// What went well before it shows where the two parted.
			return answer{"states": states, "error": err.Error()}
		}
		return answer{"states": states}
	}
}

func failed(err error) answer { return answer{"error": err.Error()} }

func estimate(q question) answer {
	stats := func(string) (storage.Stats, error) {
		return storage.Stats{ObjectCount: q.Count, EstimatedAverageObjectSizeBytes: q.SizeBytes}, nil
	}
	estimator := fcrequest.NewWorkEstimator(stats,
		func(*request.RequestInfo) int { return q.Watches },
		fcrequest.DefaultWorkEstimatorConfig(),
		func(string) uint64 { return q.SeatsMax })
	r := httptest.NewRequest(q.Method, q.URL, nil)
	factory := request.RequestInfoFactory{APIPrefixes: sets.NewString("api", "apis"), GrouplessAPIPrefixes: sets.NewString("api")}
	info, err := factory.NewRequestInfo(r)
	if err != nil {
		return failed(err)
	}
	work := estimator(r.WithContext(request.WithRequestInfo(r.Context(), info)), "schema", "level")
	return answer{"initialSeats": work.InitialSeats, "finalSeats": work.FinalSeats, "lingerMs": float64(work.AdditionalLatency) / 1e6}
}

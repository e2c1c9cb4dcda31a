package main

import (
	"net/http"
	"strings"
	"sync/atomic"

	"k8s.io/client-go/rest"
)

// traffic counts what really goes over the wire, so that a check cannot pass by a fallback:
// a client that gives up WatchList lists instead, and one that is refused protobuf reads JSON.
type traffic struct {
	watchLists, plainLists, watches, expired, protobufAnswers atomic.Int64
}

// speaking is config with a content type and with its traffic counted.
func speaking(config *rest.Config, contentType string, count *traffic) *rest.Config {
	spoken := rest.CopyConfig(config)
	spoken.ContentType = contentType
	spoken.AcceptContentTypes = contentType
	spoken.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return counted{next: next, count: count}
	})
	return spoken
}

type counted struct {
	next  http.RoundTripper
	count *traffic
}

func (c counted) RoundTrip(request *http.Request) (*http.Response, error) {
	query := request.URL.Query()
	isWatch := query.Get("watch") == "true" || query.Get("watch") == "1"
	switch {
	case isWatch && query.Get("sendInitialEvents") == "true":
		c.count.watchLists.Add(1)
	case isWatch:
		c.count.watches.Add(1)
	case request.Method == http.MethodGet:
		c.count.plainLists.Add(1)
	}
	response, err := c.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode == http.StatusGone {
		c.count.expired.Add(1)
	}
	if strings.HasPrefix(response.Header.Get("Content-Type"), protobufType) {
		c.count.protobufAnswers.Add(1)
	}
	return response, nil
}

package main

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// mover leads a client from address to address.
type mover struct {
	addresses []string
	every     time.Duration
	out       *printer
	// Whether the informer has its first state. Cut before, it would have to ask for it again.
	hasSynced func() bool

	mutex sync.Mutex
	// How many connections there were, and the newest of them.
	dialed  int
	newest  net.Conn
	address string
}

func (m *mover) dial(ctx context.Context, network, _ string) (net.Conn, error) {
	m.mutex.Lock()
	address := m.addresses[m.dialed%len(m.addresses)]
	m.dialed++
	m.mutex.Unlock()
	var dialer net.Dialer
	connection, err := dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.newest, m.address = connection, address
	return connection, nil
}

func (m *mover) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(request *http.Request) (*http.Response, error) {
		query := request.URL.Query()
		isWatch := query.Get("watch") == "true" || query.Get("watch") == "1"
		if !isWatch || query.Get("sendInitialEvents") == "true" {
			m.out.print(line{Type: "listed", Name: request.URL.RequestURI()})
		}
		response, err := next.RoundTrip(request)
		if err == nil && isWatch && response.StatusCode == http.StatusOK {
			m.mutex.Lock()
			connection, address := m.newest, m.address
			m.mutex.Unlock()
			m.out.print(line{Type: "watched", Name: address})
			go m.cutLater(connection)
		}
		return response, err
	})
}

// A watch that lasts less than a second and brings nothing makes a reflector list again, by its
// own rule; so the time counts from the moment when the answer has begun.
func (m *mover) cutLater(connection net.Conn) {
	time.Sleep(m.every)
	for !m.hasSynced() {
		time.Sleep(m.every / 10)
	}
	_ = connection.Close()
}

type roundTripper func(*http.Request) (*http.Response, error)

func (do roundTripper) RoundTrip(request *http.Request) (*http.Response, error) {
	return do(request)
}

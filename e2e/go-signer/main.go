// A signer of service account tokens for tests: it serves k8s.io/externaljwt/apis/v1 on a unix socket.
//
//	jwt-signer SOCKET FOLDER
//
// FOLDER/state.json says how it behaves, and is read at each call: keys are the ids of those that count, made when
// they are not there (an id that begins with "rsa" is an RSA key, others are ECDSA ones on P-256); signing is the id of
// the one it signs with; excluded are the ids that are only checked with; refreshSeconds and maxSeconds are what it
// says; fail makes each call fail. FOLDER/calls gets a line for each call.
package main

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/timestamppb"
	v1 "k8s.io/externaljwt/apis/v1"
)

type state struct {
	Keys           []string `json:"keys"`
	Signing        string   `json:"signing"`
	Excluded       []string `json:"excluded"`
	RefreshSeconds int64    `json:"refreshSeconds"`
	MaxSeconds     int64    `json:"maxSeconds"`
	Fail           bool     `json:"fail"`
}

type signer struct {
	v1.UnimplementedExternalJWTSignerServer
	folder string
	mutex  sync.Mutex
	keys   map[string]crypto.Signer
}

func (s *signer) Sign(_ context.Context, request *v1.SignJWTRequest) (*v1.SignJWTResponse, error) {
	now, err := s.begin("Sign")
	if err != nil {
		return nil, err
	}
	key, err := s.key(now.Signing)
	if err != nil {
		return nil, err
	}
	algorithm := "ES256"
	if _, isRSA := key.(*rsa.PrivateKey); isRSA {
		algorithm = "RS256"
	}
	header, err := json.Marshal(map[string]string{"alg": algorithm, "kid": now.Signing, "typ": "JWT"})
	if err != nil {
		return nil, err
	}
	encoded := base64.RawURLEncoding.EncodeToString(header)
	digest := sha256.Sum256([]byte(encoded + "." + request.Claims))
	signature, err := signatureOf(key, digest[:])
	if err != nil {
		return nil, err
	}
	return &v1.SignJWTResponse{
		Header:    encoded,
		Signature: base64.RawURLEncoding.EncodeToString(signature),
	}, nil
}

func (s *signer) FetchKeys(context.Context, *v1.FetchKeysRequest) (*v1.FetchKeysResponse, error) {
	now, err := s.begin("FetchKeys")
	if err != nil {
		return nil, err
	}
	response := &v1.FetchKeysResponse{
		DataTimestamp:      timestamppb.Now(),
		RefreshHintSeconds: now.RefreshSeconds,
	}
	for _, id := range now.Keys {
		key, err := s.key(id)
		if err != nil {
			return nil, err
		}
		public, err := x509.MarshalPKIXPublicKey(key.Public())
		if err != nil {
			return nil, err
		}
		response.Keys = append(response.Keys, &v1.Key{
			KeyId:                    id,
			Key:                      public,
			ExcludeFromOidcDiscovery: slices.Contains(now.Excluded, id),
		})
	}
	return response, nil
}

func (s *signer) Metadata(context.Context, *v1.MetadataRequest) (*v1.MetadataResponse, error) {
	now, err := s.begin("Metadata")
	if err != nil {
		return nil, err
	}
	return &v1.MetadataResponse{MaxTokenExpirationSeconds: now.MaxSeconds}, nil
}

// begin writes down the call, and does what the state says.
func (s *signer) begin(call string) (*state, error) {
	file, err := os.OpenFile(filepath.Join(s.folder, "calls"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if _, err := fmt.Fprintln(file, call); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(s.folder, "state.json"))
	if err != nil {
		return nil, err
	}
	now := &state{}
	if err := json.Unmarshal(text, now); err != nil {
		return nil, err
	}
	if now.Fail {
		return nil, status.Error(codes.PermissionDenied, "the signer is told to fail")
	}
	return now, nil
}

func (s *signer) key(id string) (crypto.Signer, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if key, ok := s.keys[id]; ok {
		return key, nil
	}
	var key crypto.Signer
	var err error
	if strings.HasPrefix(id, "rsa") {
		key, err = rsa.GenerateKey(rand.Reader, 2048)
	} else {
		key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	}
	if err != nil {
		return nil, err
	}
	s.keys[id] = key
	return key, nil
}

// signatureOf is as tokens have it: of an ECDSA key the two numbers behind one another.
func signatureOf(key crypto.Signer, digest []byte) ([]byte, error) {
	switch key := key.(type) {
	case *ecdsa.PrivateKey:
		r, s, err := ecdsa.Sign(rand.Reader, key, digest)
		if err != nil {
			return nil, err
		}
		signature := make([]byte, 64)
		r.FillBytes(signature[:32])
		s.FillBytes(signature[32:])
		return signature, nil
	default:
		return key.Sign(rand.Reader, digest, crypto.SHA256)
	}
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: jwt-signer SOCKET FOLDER")
		os.Exit(2)
	}
	socket, folder := os.Args[1], os.Args[2]
	if err := serve(socket, folder); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(socket, folder string) error {
	// What a signer that was killed has left.
	if err := os.Remove(socket); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	listener, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	server := grpc.NewServer()
	v1.RegisterExternalJWTSignerServer(server, &signer{folder: folder, keys: map[string]crypto.Signer{}})
	return server.Serve(listener)
}

module chatvault/internal/packaging

go 1.26.5

require (
	go.yaml.in/yaml/v3 v3.0.4
	golang.org/x/mod v0.43.0
)

require (
	github.com/kr/pretty v0.3.1 // indirect
	github.com/rogpeppe/go-internal v1.14.1 // indirect
	gopkg.in/check.v1 v1.0.0-20201130134442-10cb98267c6c // indirect
)
